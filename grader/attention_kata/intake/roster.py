"""The list of a class, and which attempts are whose.

An attempt goes to a row only when exactly one row fits: by student_id, by another id, by email, by name, in this
order.  Two rows are never taken for one person.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..text import natural, plain
from .attempt import Attempt, IntakeError
from .people import Index, Name, by_exact, by_name, by_value

MAX_BYTES = 64 << 20
COLUMNS = ("student_id", "first_name", "last_name", "email")
IDS = (  # columns that platforms know a student by
    "lms_user_id", "canvas_id", "sis_id", "sis_user_id", "login_id", "participant_id", "participant", "idnumber", "sid",
    "github", "github_username", "username",
)  # fmt: skip
DELIMITERS = ",;\t"
MAX_TOLD = 5  # mistakes of a roster in one message


@dataclass(frozen=True, kw_only=True)
class RosterRow:
    """One row; `extra` has the other columns by name, `line` is where it is in the file."""

    student_id: str
    first_name: str
    last_name: str
    email: str
    extra: Mapping[str, str]
    line: int

    @classmethod
    def of(cls, columns: Mapping[str, str], line: int = 0) -> RosterRow:
        """From all columns by their names, as `columns` has them."""
        extra = {name: value for name, value in columns.items() if name not in COLUMNS}
        own = {name: columns.get(name, "") for name in COLUMNS}
        return cls(**own, extra=extra, line=line)

    @property
    def columns(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in COLUMNS} | dict(self.extra)


@dataclass(frozen=True)
class Duplicate:
    """Several identities that match one row; all their attempts are listed under it, and the newest counts."""

    student_id: str
    identities: tuple[str, ...]


@dataclass(frozen=True)
class Matched:
    """`attempts` has every row's, oldest to newest, none where nothing was handed in; `unknown` are on no row."""

    attempts: Mapping[str, tuple[Attempt, ...]]
    unknown: tuple[Attempt, ...]
    duplicates: tuple[Duplicate, ...]


@dataclass(frozen=True)
class Roster:
    """The class, in the order of the file."""

    students: tuple[RosterRow, ...] = field(repr=False)

    def match(self, attempts: Iterable[Attempt]) -> Matched:
        """Whose attempts these are.  A matched one takes the row's student_id and keeps its `identity`."""
        by_identity: dict[str, list[Attempt]] = {}
        for attempt in attempts:
            by_identity.setdefault(attempt.student, []).append(attempt)
        found: dict[str, list[Attempt]] = {student.student_id: [] for student in self.students}
        identities: dict[str, list[str]] = {}
        unknown: list[Attempt] = []
        for identity, own in by_identity.items():
            student = self._student(identity, own)
            if student is None:
                unknown += own
                continue
            identities.setdefault(student.student_id, []).append(identity)
            found[student.student_id] += [
                replace(attempt, student=student.student_id, identity=identity) for attempt in own
            ]
        duplicates = (Duplicate(student, tuple(names)) for student, names in identities.items() if len(names) > 1)
        in_order = {student: tuple(sorted(own, key=_age)) for student, own in found.items()}
        return Matched(in_order, tuple(unknown), tuple(duplicates))

    def _student(self, identity: str, attempts: Sequence[Attempt]) -> RosterRow | None:
        """The only row that fits, by the best mark there is."""
        emails = [attempt.email for attempt in attempts] + [identity]
        names = [attempt.name or identity for attempt in attempts]
        marks = (
            (self._by_id, [identity]),
            (self._by_other_id, [identity]),
            (self._by_email, [email for email in emails if "@" in email]),
            (self._by_name, names),
        )
        for index, values in marks:
            fitting = {id(row): row for value in values for row in index.fitting(value)}
            if len(fitting) == 1:
                return next(iter(fitting.values()))
            if fitting:
                return None  # several fit, so that a weaker mark would be a guess
        return None

    @cached_property
    def _by_id(self) -> Index[RosterRow]:
        return by_exact(self.students, lambda row: [row.student_id])

    @cached_property
    def _by_other_id(self) -> Index[RosterRow]:
        return by_value(self.students, lambda row: [row.extra.get(column, "") for column in IDS])

    @cached_property
    def _by_email(self) -> Index[RosterRow]:
        return by_value(self.students, lambda row: [row.email])

    @cached_property
    def _by_name(self) -> Index[RosterRow]:
        return by_name(self.students, lambda row: filter(None, [Name.of(row.first_name, row.last_name)]))


def _age(attempt: Attempt) -> tuple[object, ...]:
    when = attempt.handed_in.timestamp() if attempt.handed_in else 0.0
    return when, natural(attempt.label), natural(attempt.origin)


# ---------------------------------------------------------------------- the file


def read_roster(path: Path) -> Roster:
    """Read a table with the column student_id, and first_name, last_name, email where there are any.  IntakeError."""
    shown = plain(str(path))
    text = _text(path, shown)
    first = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = _rows(reader, shown)
    _, header = next(rows, (0, []))
    columns = [name.strip().casefold().replace(" ", "_") for name in header]
    if "student_id" not in columns:
        found = ", ".join(plain(name) for name in columns[:6]) or "nothing"
        raise IntakeError(f"{shown} has no column student_id: its first line must name the columns (found: {found}).")
    if twice := next((name for name in columns if name and columns.count(name) > 1), None):
        raise IntakeError(f"{shown} has two columns {plain(twice)}: rename or remove one.")
    students = []
    for line, row in rows:
        if len(row) > len(columns):
            found = f"{len(row)} fields where the first line has {len(columns)}"
            raise IntakeError(f"{shown}, line {line}: {found}; put quotes around a field that holds a {delimiter!r}.")
        students.append(RosterRow.of(dict(zip(columns, map(str.strip, row), strict=False)), line))
    _check(students, shown)
    return Roster(tuple(students))


def _text(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise IntakeError(f"{shown} cannot be read: {error.strerror}.") from None
    if len(data) > MAX_BYTES:
        raise IntakeError(f"{shown} is larger than {MAX_BYTES >> 20} MB: a table of students was expected.")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))  # what spreadsheets call Unicode text
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise IntakeError(f"{shown} is not UTF-8 text: line {line}. Save it as CSV in UTF-8.") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise IntakeError(f"{shown} holds a NUL byte on line {line}. Save it as CSV in UTF-8.")
    return text


def _rows(reader: Iterator[list[str]], shown: str) -> Iterator[tuple[int, list[str]]]:
    """(line, fields) of every row that is not blank.  The line is that on which the row begins."""
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise IntakeError(f"{shown}, line {line}: {error}. Is a quote missing?") from None
        if row is None:
            return
        if any(value.strip() for value in row):
            yield line, row
        line = reader.line_num + 1  # type: ignore[attr-defined]


def _check(students: list[RosterRow], shown: str) -> None:
    """Every row has an id of its own."""
    mistakes = [f"line {student.line} has no student_id" for student in students if not student.student_id]
    lines: dict[str, list[str]] = {}
    for student in students:
        if student.student_id:
            lines.setdefault(student.student_id, []).append(str(student.line))
    mistakes += [f"lines {' and '.join(at)} have the same {plain(name)}" for name, at in lines.items() if len(at) > 1]
    if mistakes:
        more = f"; and {len(mistakes) - MAX_TOLD} more" if len(mistakes) > MAX_TOLD else ""
        raise IntakeError(f"{shown}: {'; '.join(mistakes[:MAX_TOLD])}{more}. Each student needs an id of their own.")
    if not students:
        raise IntakeError(f"{shown} lists no students.")
