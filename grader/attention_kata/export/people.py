"""Who of a platform's list is who in the database: by the surest means there is, and never by guessing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..gradebook.standing import Standing
from ..intake.people import Index, Name, by_name, each_name_once
from ..text import visible
from .sheet import Sheet

MAX_NAMED = 8
Means = Sequence[tuple[int | None, Callable[[str], Standing | None]]]  # (column of the list, who has such a value)


def roster(row: Standing, *headers: str) -> Iterator[str]:
    """The values of the roster's columns with one of these names, in any spelling: `SIS User ID`, `sis_user_id`."""
    for title, value in (row.student.roster or {}).items():
        if header(title) in headers and isinstance(value, str) and value.strip():
            yield value


def header(title: str) -> str:
    """The title of a column in any spelling: `SIS User ID`, `sis_user_id`."""
    return re.sub(r"[\W_]", "", title).casefold()


def names(rows: Iterable[Standing]) -> Index[Standing]:
    return by_name(rows, _names)


def _names(row: Standing) -> Iterator[Name]:
    if row.student.name:
        yield Name(row.student.name)
    columns = row.student.roster or {}
    if (name := Name.of(columns.get("first_name", ""), columns.get("last_name", ""))) is not None:
        yield name


def match(
    sheet: Sheet, lines: Sequence[int], means: Means, name: int | None, known: Index[Standing]
) -> dict[int, Standing]:
    """Line of the sheet -> who that is, for those who can be told.

    A name counts only where nothing else does, and when it stands in one line; one that is spelled otherwise there,
    only for somebody whom no other line means.  Where two means contradict each other, or two lines mean the same
    student, it is left to the instructor.
    """
    found: dict[int, Standing] = {}
    respelled: dict[int, Standing] = {}
    named = each_name_once([sheet.value(line, name) for line in lines], known)
    for line, by_its_name in zip(lines, named, strict=True):
        ways = [of(sheet.value(line, at)) for at, of in means]
        who = {row.id: row for row in ways if row is not None}
        if len(who) == 1:
            found[line] = next(iter(who.values()))
        elif not who and by_its_name is not None:
            row, as_spelled = by_its_name
            (found if as_spelled else respelled)[line] = row
    claims = Counter(row.id for row in found.values())
    left = Counter(row.id for row in respelled.values() if row.id not in claims)
    sure = {line: row for line, row in found.items() if claims[row.id] == 1}
    return sure | {line: row for line, row in respelled.items() if left[row.id] == 1}


def report(
    sheet: Sheet,
    lines: Sequence[int],
    found: Mapping[int, Standing],
    rows: Sequence[Standing],
    label: Callable[[int], str],
    say: Callable[[str], None],
) -> None:
    """Say who of the list is not known here, who of those with a grade is not in the list, and who has none yet."""
    listed = {row.id for row in found.values()}
    unknown = [label(line) for line in lines if line not in found]
    absent = [row.name for row in rows if row.id not in listed and row.points is not None]
    ungraded = [row.name for row in found.values() if row.points is None]
    for who, what in (
        (unknown, f"of {sheet.name} could not be matched with anybody here and are unchanged"),
        (absent, f"with a grade are not in {sheet.name}"),
        (ungraded, "have no grade here and are unchanged"),
    ):
        if who:
            say(f"{len(who)} {what}: {listed_names(who)}")


def listed_names(names: Sequence[str]) -> str:
    shown = "; ".join(visible(name).replace("\n", "\\n") for name in names[:MAX_NAMED])
    return shown + (f"; and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")
