"""Moodle: its offline grading worksheet filled in, and a table for the import into its gradebook."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ..gradebook.about import TO_STUDENT, lateness
from ..gradebook.standing import Standing
from ..intake.people import by_value, loose, normal
from ..messages.render import render
from ..tables import lines, number, safe
from .people import Means, header, listed_names, match, names, report, roster
from .request import BadExport, Request
from .sheet import Sheet, read_sheet
from .table import comments

NUMBER = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*")
PARTICIPANT = re.compile(r"[^\d\s].*?(\d+)\s*")
FIELDS = {
    "id": ("id", "userid", "moodleid", "moodleuserid", "lmsuserid"),
    "idnumber": ("idnumber", "studentid"),
    "email": ("email", "emailaddress"),
    "username": ("username", "login"),
}


# ---------------------------------------------------------------------- offline worksheet


def worksheet(request: Request) -> Iterator[bytes]:
    """Fill in grades, scaled to the worksheet's maximum, and what was said by hand; blanks stay blank."""
    sheet = read_sheet(request.into)
    listed = [line for line in range(1, len(sheet.rows)) if any(sheet.values(line))]
    who = _identifier(sheet, listed)
    grade, most = _grade(sheet, listed, request.column)
    feedback = _titled(sheet, "feedback comments", "feedback")
    name = _titled(sheet, "full name")
    name = who + 1 if name is None else name  # its place in every language
    rows = request.light()
    found = match(sheet, listed, _means(sheet, who, listed, rows), name, names(rows))
    for line, row in found.items():
        if row.points is None:
            continue
        sheet.set(line, grade, _scaled(row, sheet.value(line, most)))
        said = _said(row)
        if feedback is not None and said:
            sheet.set(line, feedback, said)
    report(sheet, listed, found, rows, lambda line: sheet.value(line, name), request.say)
    if most is None:
        request.say(f"{sheet.name} has no maximum grade beside the grade: points are written as they are")
    yield sheet.data()


def _titled(sheet: Sheet, *titles: str) -> int | None:
    plain = [normal(title) for title in sheet.values(0)]
    return next((plain.index(title) for title in titles if title in plain), None)


def _identifier(sheet: Sheet, listed: Sequence[int]) -> int:
    """The column of `Participant 123`, by its title or, in another language, by what is in it."""
    titled = _titled(sheet, "identifier")
    if titled is not None:
        return titled
    for column in range(len(sheet.rows[0])):
        if all(PARTICIPANT.fullmatch(sheet.value(line, column)) for line in listed):
            return column
    raise BadExport(
        f"{sheet.name} has no column of participants such as 'Participant 123': download the grading worksheet again"
    )


def _grade(sheet: Sheet, listed: Sequence[int], wanted: str) -> tuple[int, int | None]:
    """The columns of the grade and of its maximum, which stands right of it."""
    column = _titled(sheet, normal(wanted) if wanted else "grade")
    if column is None and not wanted:
        found = [i for i in range(1, len(sheet.rows[0])) if _may_be_grade(sheet, listed, i)]
        column = found[0] if len(found) == 1 else None
    if column is None:
        what = f"--column {wanted!r} names no column" if wanted else "the grade column cannot be found"
        titles = ", ".join(map(repr, sheet.values(0)))
        raise BadExport(f"{what} of {sheet.name}: name it with --column, one of {titles}")
    return column, column + 1 if _is_maximum(sheet, listed, column + 1) else None


def _may_be_grade(sheet: Sheet, listed: Sequence[int], column: int) -> bool:
    """Whether a column holds nothing but numbers, and the one right of it their maximum."""
    cells = (sheet.value(line, column).strip() for line in listed)
    return _is_maximum(sheet, listed, column + 1) and all(c in ("", "-") or NUMBER.fullmatch(c) for c in cells)


def _is_maximum(sheet: Sheet, listed: Sequence[int], column: int) -> bool:
    cells = {sheet.value(line, column).strip() for line in listed}
    return len(cells) == 1 and bool(_read(next(iter(cells))))


def _read(text: str) -> float | None:
    found = NUMBER.fullmatch(text)
    return float(found[1].replace(",", ".")) if found else None


def _scaled(row: Standing, most: str) -> str:
    """The points in the worksheet's scale, with a decimal comma where the worksheet has one."""
    maximum = _read(most)
    assert row.points is not None
    points = row.points * maximum / row.max_points if maximum and row.max_points else row.points
    return number(round(points, 5)).replace(".", "," if "," in most else ".")


def _addresses(sheet: Sheet, listed: Sequence[int]) -> int | None:
    """The column of e-mail addresses, by its title or by what is in it."""
    titled = _titled(sheet, "email address", "email")
    if titled is not None:
        return titled
    for column in range(len(sheet.rows[0])):
        cells = [cell for line in listed if (cell := sheet.value(line, column).strip())]
        if cells and all(re.fullmatch(r"[^@\s]+@[^@\s]+", cell) for cell in cells):
            return column
    return None


def _means(sheet: Sheet, who: int, listed: Sequence[int], rows: Sequence[Standing]) -> Means:
    """Moodle's number of the participant, the school's number, the address."""
    numbers = by_value(rows, lambda row: list(roster(row, "participant", "participantid", "identifier")) or [row.id])

    def participant(cell: str) -> Standing | None:
        found = PARTICIPANT.fullmatch(cell)
        return numbers.one(cell) or (numbers.one(found[1]) if found else None)

    return [
        (who, participant),
        (_titled(sheet, "id number"), by_value(rows, _values("idnumber")).one),
        (_addresses(sheet, listed), by_value(rows, _values("email")).one),
        (_titled(sheet, "username"), by_value(rows, _values("username")).one),
    ]


def _said(row: Standing) -> str:
    """What was said by hand and what lateness cost, as the HTML that Moodle takes it for."""
    said = comments(row)
    if row.penalty:
        said.append(render(lateness(row), TO_STUDENT))
    return safe(html.escape("\n".join(said), quote=False).replace("\n", "<br>"))


# ---------------------------------------------------------------------- gradebook import


def gradebook(request: Request) -> Iterator[bytes]:
    """Users and their points.  One unknown user stops Moodle's import: with a list, nobody else is written.

    A user must be written exactly, so that one who would be a formula in a spreadsheet is left out and reported.
    """
    rows = request.light()
    known = None if request.into is None else _known(request)
    of = _values(request.user)
    written: dict[str, tuple[str, Standing]] = {}
    left_out: list[str] = []
    often = Counter(value for row in rows for value in set(map(loose, of(row))))
    for row in rows:
        values = [value for value in of(row) if loose(value) and often[loose(value)] == 1]
        if known is not None:
            values = [known[loose(value)] for value in values if loose(value) in known]
        if row.points is None:
            continue
        if values and values[0] == safe(values[0]):
            written[row.id] = values[0], row
        else:
            left_out.append(row.name)
    if left_out:
        where = f"in {request.into}" if request.into else "here"
        request.say(
            f"{len(left_out)} with a grade have no usable {request.user} of their own {where}: {listed_names(left_out)}"
        )
    title = request.column or "Attention Kata"
    yield from lines([(request.user, safe(title)), *((value, number(row.points)) for value, row in written.values())])


def _values(field: str) -> Callable[[Standing], list[str]]:
    """What Moodle may know somebody by: the roster's column of that name, else the id or the address.

    Its own numbers are in nobody's hands but its own: those are taken from the roster alone.
    """

    def of(row: Standing) -> list[str]:
        own = {"id": "", "email": row.student.email}.get(field, row.id)
        return [*roster(row, *FIELDS[field]), own]

    return of


def _known(request: Request) -> dict[str, str]:
    """The users of a list of Moodle's, in its own spelling."""
    sheet = read_sheet(request.into)
    plain = list(map(header, sheet.values(0)))
    column = next((plain.index(name) for name in FIELDS[request.user] if name in plain), None)
    if column is None:
        titles = ", ".join(map(repr, sheet.values(0)))
        raise BadExport(f"{sheet.name} has no column for --user {request.user}: its columns are {titles}")
    values = (sheet.value(line, column) for line in range(1, len(sheet.rows)))
    return {loose(value): value for value in values if value.strip()}
