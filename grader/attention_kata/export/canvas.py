"""Canvas: the gradebook that Canvas itself exported, with one column filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..gradebook.standing import Standing
from ..intake.people import by_value
from ..tables import number
from .people import Means, header, match, names, report, roster
from .request import BadExport, Request
from .sheet import Sheet, read_sheet

POSSIBLE = "Points Possible"
READ_ONLY = "(read only)"
EXCUSED = "EX"
INFORMATION = (
    "student", "id", "sisuserid", "sisloginid", "integrationid", "rootaccount", "section",
)  # fmt: skip


def canvas(request: Request) -> Iterator[bytes]:
    """Fill in the column; whoever has no grade here, or is excused there, keeps what was there."""
    sheet = read_sheet(request.into)
    columns = _columns(sheet)
    first = _first_student(sheet)
    column = _assignment(sheet, columns, first, request.column)
    rows = request.light()
    lines = [line for line in range(first, len(sheet.rows)) if any(sheet.values(line))]
    found = match(sheet, lines, _means(columns, rows), columns["student"], names(rows))
    possible = _possible(sheet, column, first)
    for line, row in found.items():
        if row.points is not None and sheet.value(line, column).strip().upper() != EXCUSED:
            scale = possible / row.max_points if possible and row.max_points else 1.0
            sheet.set(line, column, number(row.points * scale))
    report(sheet, lines, found, rows, lambda line: sheet.value(line, columns["student"]), request.say)
    _say_scale(possible, rows, request)
    yield sheet.data()


def _columns(sheet: Sheet) -> dict[str, int]:
    """Canvas's information columns by their plain names."""
    plain = list(map(header, sheet.values(0)))
    if len(plain) < 2 or "student" not in plain[0] or plain[1] != "id":
        raise BadExport(f"{sheet.name} is not what Canvas exports: its first columns should be Student and ID")
    return {name: i for i, name in reversed(list(enumerate(plain))) if name in INFORMATION} | {"student": 0}


def _first_student(sheet: Sheet) -> int:
    """The line after the header, which has a second row and may have one between."""
    for line in (1, 2):
        if line < len(sheet.rows) and sheet.value(line, 0).strip() == POSSIBLE:
            return line + 1
    return 1


def _assignment(sheet: Sheet, columns: dict[str, int], first: int, wanted: str) -> int:
    """The one column that is called so, with its number or without; BadExport, which lists them, otherwise."""
    after = max(columns.values()) + 1
    titles = {
        i: title
        for i, title in enumerate(sheet.values(0))
        if i >= after and not any(sheet.value(line, i).strip() == READ_ONLY for line in range(1, first))
    }
    exact = [i for i, title in titles.items() if title == wanted]
    found = exact or [i for i, title in titles.items() if re.sub(r" \(\d+\)$", "", title.strip()) == wanted.strip()]
    if len(found) != 1:
        what = "names no column" if not found else "names more than one column"
        listed = ", ".join(repr(title) for title in titles.values()) or "none"
        raise BadExport(f"--column {wanted!r} {what} of {sheet.name}: write one of {listed}")
    return found[0]


def _means(columns: dict[str, int], rows: Sequence[Standing]) -> Means:
    """Canvas's own number, the school's, the login: as the roster has them, else the id of the student."""

    def of_canvas(row: Standing) -> list[str]:
        return list(roster(row, "lmsuserid", "canvasid", "canvasuserid")) or [row.id]

    def of_school(row: Standing) -> list[str]:
        return [row.id, *roster(row, "sisuserid", "sisid")]

    def of_login(row: Standing) -> list[str]:
        return [row.id, row.student.email, *roster(row, "sisloginid", "loginid", "login", "username")]

    means = (("id", of_canvas), ("sisuserid", of_school), ("sisloginid", of_login))
    return [(columns.get(name), by_value(rows, of).one) for name, of in means]


def _possible(sheet: Sheet, column: int, first: int) -> float | None:
    """The points that Canvas gives for the assignment, where it says so."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*", sheet.value(first - 1, column)) if first > 1 else None
    return float(found[1]) or None if found else None


def _say_scale(possible: float | None, rows: Sequence[Standing], request: Request) -> None:
    other = {row.max_points for row in rows if row.points is not None} - {possible, 0.0}
    if possible is not None and other:
        request.say(f"points out of {number(max(other))} are written as points out of {number(possible)}, as in Canvas")
