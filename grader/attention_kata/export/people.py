"""Who of a platform's list is who in the database: by the surest means there is, and never by guessing."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..gradebook.standing import Standing
from ..text import visible
from .sheet import Sheet

MAX_NAMED = 8
Index = Mapping[str, Standing | None]
Means = Sequence[tuple[int | None, Index]]  # (column of the list, who has such a value)


def normal(text: str) -> str:
    """Texts that a person would call the same: however wide, spaced, composed or capitalised."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def name_key(text: str) -> str:
    """A name, with `Last, First` turned round."""
    last, comma, first = normal(text).partition(",")
    return f"{first.strip()} {last.strip()}" if comma and "," not in first else normal(text)


def roster(row: Standing, *headers: str) -> Iterator[str]:
    """The values of the roster's columns with one of these names, in any spelling: `SIS User ID`, `sis_user_id`."""
    for header, value in (row.student.roster or {}).items():
        if re.sub(r"[\W_]", "", header).casefold() in headers and isinstance(value, str) and value.strip():
            yield value


def index(rows: Iterable[Standing], of: Callable[[Standing], Iterable[str]]) -> Index:
    """Who has which value; None for a value that several have."""
    found: dict[str, Standing | None] = {}
    for row in rows:
        for value in {normal(value) for value in of(row)} - {""}:
            found[value] = None if value in found else row
    return found


def by_name(rows: Iterable[Standing]) -> Index:
    return index(rows, lambda row: [name_key(row.student.name)] if row.student.name else [])


def match(sheet: Sheet, lines: Sequence[int], means: Means, name: tuple[int | None, Index]) -> dict[int, Standing]:
    """Line of the sheet -> who that is, for those who can be told.

    A name counts only where nothing else does, and when it stands in one line.  Where two means contradict each
    other, or two lines mean the same student, it is left to the instructor.
    """
    column, names = name
    often = Counter(name_key(sheet.value(line, column)) for line in lines)
    found: dict[int, Standing] = {}
    for line in lines:
        ways = [index.get(normal(sheet.value(line, at))) for at, index in means]
        who = {row.id: row for row in ways if row is not None}
        key = name_key(sheet.value(line, column))
        if not who and often[key] == 1 and (named := names.get(key)) is not None:
            who = {named.id: named}
        if len(who) == 1:
            found[line] = next(iter(who.values()))
    claims = Counter(row.id for row in found.values())
    return {line: row for line, row in found.items() if claims[row.id] == 1}


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
        (unknown, f"of {sheet.name} could not be matched with anybody here and stay as they were"),
        (absent, f"with a grade are not in {sheet.name}"),
        (ungraded, "have no grade here and stay as they were"),
    ):
        if who:
            say(f"{len(who)} {what}: {listed_names(who)}")


def listed_names(names: Sequence[str]) -> str:
    shown = "; ".join(visible(name).replace("\n", "\\n") for name in names[:MAX_NAMED])
    return shown + (f"; and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")
