"""The grades of a class, in one SQLite file: what was handed in, what came of it, what was decided by hand.

Every finished submission is committed at once, so that a `kill -9` loses at most those in flight.  One program
at a time may grade into a database; any number may read.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from ..intake.packing import packed, unpacked
from ..intake.submission import Submission
from ..judge.evidence import from_json, to_json
from ..key.file import key_bytes, parse_key
from ..key.model import AnswerKey
from ..messages.render import INSTRUCTOR, render
from ..messages.said import Said, as_text
from ..messages.templates import TEMPLATES
from .database import BadGrades, Database
from .records import Adjustment, Handed, Identity, Result, Student, now

FULL = '"isolation": "full"'  # in the limits of an identity
COUNTS, PENDING = 1, 2  # of results: the one that counts of a student, one that may soon; 0 is history
TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE keys (id TEXT PRIMARY KEY, course TEXT NOT NULL, version TEXT NOT NULL, torch TEXT NOT NULL,
                   data BLOB NOT NULL);
CREATE TABLE students (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', email TEXT NOT NULL DEFAULT '',
                       roster TEXT, extension REAL NOT NULL DEFAULT 0, problem TEXT NOT NULL DEFAULT '');
CREATE TABLE attempts (student TEXT NOT NULL, number INTEGER NOT NULL, label TEXT NOT NULL, origin TEXT NOT NULL,
                       handed_in TEXT, late INTEGER, PRIMARY KEY (student, number));
CREATE TABLE sources (hash TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE results (id INTEGER PRIMARY KEY, student TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL,
                      version TEXT NOT NULL, limits TEXT NOT NULL, handed_in TEXT, graded_at TEXT NOT NULL,
                      seconds REAL NOT NULL, torch TEXT NOT NULL, grader TEXT NOT NULL, points REAL NOT NULL,
                      max_points REAL NOT NULL, fault TEXT NOT NULL, evidence BLOB NOT NULL,
                      current INTEGER NOT NULL);
CREATE INDEX results_of ON results (student, current);
CREATE TABLE adjustments (id INTEGER PRIMARY KEY, student TEXT NOT NULL, exercise TEXT NOT NULL,
                          "check" TEXT NOT NULL, points REAL, comment TEXT NOT NULL, automatic REAL,
                          made_at TEXT NOT NULL);
"""


def key_id(data: bytes) -> str:
    """A short name for an answer key, from its bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


class Grades(Database):
    """An open database of grades."""

    schema, tables, mark = 1, TABLES, "results"

    # ------------------------------------------------------------------ settings and keys

    def setting(self, name: str) -> Any:
        """A setting's value, None when it was never made."""
        row = self._row("SELECT value FROM settings WHERE name = ?", name)
        return json.loads(row[0]) if row else None

    def set(self, name: str, value: Any) -> None:
        self._write("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, json.dumps(value))

    def key(self, id: str | None = None) -> AnswerKey | None:
        """A key by its id, or the one in use."""
        id = id or self.setting("key")
        row = self._row("SELECT data FROM keys WHERE id = ?", id)
        return parse_key(zlib.decompress(row[0]), f"the key in {self.path}") if row else None

    def use_key(self, key: AnswerKey) -> str:
        """Keep `key`, and grade with it from now on -> its id."""
        with self.transaction():
            id = self.keep_key(key)
            self.set("key", id)
        return id

    def keep_key(self, key: AnswerKey) -> str:
        data = key_bytes(key)
        values = (key_id(data), key.course, key.version, key.torch, zlib.compress(data, 1))
        self._write("INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?)", *values)
        return values[0]

    # ------------------------------------------------------------------ students

    def enrol(self, student: Student) -> None:
        """Add or update somebody; an extension that was given stays.

        Where nothing can be read of what was handed in last, no earlier result counts either.
        """
        with self.transaction():
            if student.problem:
                self._retire(student.id)
            self._write(
                "INSERT INTO students (id, name, email, roster, problem) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email,"
                " roster = excluded.roster, problem = excluded.problem",
                *map(_text, (student.id, student.name, student.email)),
                None if student.roster is None else json.dumps(student.roster),
                _kept(student.problem),
            )

    def unreadable(self, student: str, problem: Said) -> None:
        """Nothing can be read of what `student` handed in last, and no earlier result counts either."""
        with self.transaction():
            self._retire(student)
            self._write("UPDATE students SET problem = ? WHERE id = ?", _kept(problem), _text(student))

    def extend(self, student: str, seconds: float) -> None:
        """Give `student` so much more time, in place of what was given before."""
        self._write("UPDATE students SET extension = ? WHERE id = ?", seconds, _text(student))

    def students(self) -> Iterator[Student]:
        """Everybody, in the order of their ids."""
        for id, name, email, roster, extension, problem in self._rows("SELECT * FROM students ORDER BY id"):
            found = json.loads(roster) if roster is not None else None
            yield Student(
                id=_named(id),
                name=_named(name),
                email=_named(email),
                roster=found,
                extension=extension,
                problem=_message(_named(problem)),
            )

    def hand_in(self, student: str, attempts: Iterable[Handed]) -> None:
        """The attempts of `student`, oldest first, in place of those known before.

        Where the last one is another, what was graded before counts no longer, until `take` finds the same files.
        """
        attempts = list(attempts)
        last = attempts[-1] if attempts else None
        query = "SELECT label, origin, handed_in FROM attempts WHERE student = ? ORDER BY number DESC"
        with self.transaction():
            before = self._row(query, _text(student))
            if before and last and before != (_text(last.label), _text(last.origin), _stamp(last.handed_in)):
                self._retire(student)
            self._write("DELETE FROM attempts WHERE student = ?", _text(student))
            for number, a in enumerate(attempts):
                late = None if a.late is None else int(a.late)
                values = (_text(student), number, _text(a.label), _text(a.origin), _stamp(a.handed_in), late)
                self._write("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?)", *values)

    def attempts(self) -> dict[str, list[Handed]]:
        """The attempts of everybody, oldest first: the last one is graded."""
        found: dict[str, list[Handed]] = {}
        for student, _, label, origin, handed_in, late in self._rows("SELECT * FROM attempts ORDER BY student, number"):
            handed = Handed(_named(label), _named(origin), _moment(handed_in), None if late is None else bool(late))
            found.setdefault(_named(student), []).append(handed)
        return found

    def rename(self, old: str, new: str) -> None:
        """What is kept of `old` is that of `new`, whose own result, attempts and extension come first."""
        own, other = _text(new), _text(old)
        with self.transaction():
            if self._row(f"SELECT 1 FROM results WHERE student = ? AND current = {COUNTS}", own):
                self._retire(old)
            if not self._row("SELECT 1 FROM attempts WHERE student = ?", own):
                self._write("UPDATE attempts SET student = ? WHERE student = ?", own, other)
            for table in ("results", "adjustments"):
                self._write(f"UPDATE {table} SET student = ? WHERE student = ?", own, other)
            extension = "(SELECT extension FROM students WHERE id = ?)"
            self._write(f"UPDATE students SET extension = {extension} WHERE id = ? AND extension = 0", other, own)
            self._write("DELETE FROM attempts WHERE student = ?", other)
            self._write("DELETE FROM students WHERE id = ?", other)

    def forget(self) -> None:
        """Leave out whoever is not on the roster (any more), and of whom there is nothing."""
        tables = ("attempts", "results", "adjustments")
        nothing = " AND ".join(f"id NOT IN (SELECT student FROM {table})" for table in tables)
        self._write(f"DELETE FROM students WHERE roster IS NULL AND {nothing}")

    # ------------------------------------------------------------------ results

    def _retire(self, student: str) -> None:
        """No result of `student` counts; they stay as history."""
        self._write(f"UPDATE results SET current = 0 WHERE student = ? AND current = {COUNTS}", _text(student))

    def take(self, student: str, identity: Identity, handed_in: datetime | None) -> bool:
        """Whether this is graded already; then the newest result of the same files is the one that counts.

        It may be one of `kata regrade`, with another key or other limits, which nothing but that takes back; only
        one of less isolation than is asked for now is left behind.
        """
        terms = (identity.key, identity.version, identity.limits)
        query = (
            "SELECT id, current, handed_in, key, version, limits FROM results WHERE student = ? AND source = ?"
            f" AND fault = '' AND current < {PENDING} ORDER BY id DESC"
        )
        with self.transaction():
            rows = list(self._rows(query, _text(student), identity.source))
            if not any(row[3:] == terms for row in rows):
                return False
            row = next(row for row in rows if FULL in row[5] or FULL not in identity.limits)
            if not row[1] or row[2] != _stamp(handed_in):
                self._write("UPDATE results SET current = (id = ?) WHERE student = ?", row[0], _text(student))
                self._write("UPDATE results SET handed_in = ? WHERE id = ?", _stamp(handed_in), row[0])
        return True

    def add(self, result: Result, submission: Submission, pending: bool = False) -> None:
        """Commit a result at once.  It counts from now on; earlier ones of this student stay as history.

        One that is `pending` counts only after `settle`.
        """
        source = packed(submission)
        i = result.identity
        values = (
            *(_text(result.student), i.source, i.key, i.version, i.limits, _stamp(result.handed_in)),
            *(_stamp(result.graded_at), result.seconds, result.torch, result.grader),
            *(
                result.points,
                result.max_points,
                _text(result.fault),
                zlib.compress(json.dumps(to_json(result.evidence)).encode(), 1),
            ),
        )
        with self.transaction():
            self._write("INSERT OR IGNORE INTO sources VALUES (?, ?)", i.source, zlib.compress(source, 6))
            if not pending:
                self._retire(result.student)
            self._write(
                "INSERT INTO results (student, source, key, version, limits, handed_in, graded_at, seconds, torch,"
                " grader, points, max_points, fault, evidence, current)"
                f" VALUES ({', '.join('?' * len(values))}, ?)",
                *values,
                PENDING if pending else COUNTS,
            )

    def settle(self, keep: bool) -> None:
        """Let all pending results count, in place of those that did; or forget them."""
        with self.transaction():
            if keep:
                pending = f"(SELECT student FROM results WHERE current = {PENDING})"
                self._write(f"UPDATE results SET current = 0 WHERE current = {COUNTS} AND student IN {pending}")
                self._write(f"UPDATE results SET current = {COUNTS} WHERE current = {PENDING}")
            else:
                self._write(f"DELETE FROM results WHERE current = {PENDING}")

    def results(self, student: str | None = None, history: bool = False) -> Iterator[Result]:
        """The results that count, one for each student in the order of their ids; with `history` the others too.

        One at a time: a class of ten thousand does not fit into memory with its evidence.
        """
        where = [f"current < {PENDING}" if history else f"current = {COUNTS}"] + (
            [] if student is None else ["student = ?"]
        )
        query = (
            "SELECT student, source, key, version, limits, handed_in, graded_at, seconds, torch, grader, points,"
            f" max_points, fault, evidence FROM results WHERE {' AND '.join(where)}"
            " ORDER BY student, id"
        )
        for row in self._rows(query, *([] if student is None else [_text(student)])):
            student, *identity, handed_in, graded_at, seconds, torch, grader, points, max_points, fault, evidence = row
            yield Result(
                student=_named(student),
                identity=Identity(*identity),
                handed_in=_moment(handed_in),
                graded_at=_moment(graded_at) or now(),
                seconds=seconds,
                torch=torch,
                grader=grader,
                points=points,
                max_points=max_points,
                fault=_named(fault),
                # who may have been renamed
                evidence=from_json(json.loads(zlib.decompress(evidence)) | {"student": _named(student)}),
            )

    def submission(self, source: str, name: str) -> Submission:
        """What was handed in, from its hash."""
        row = self._row("SELECT data FROM sources WHERE hash = ?", source)
        if row is None:
            raise BadGrades(f"{self.path} does not hold the files of {name!r}: grade them again")
        return unpacked(zlib.decompress(row[0]), name)

    # ------------------------------------------------------------------ by hand

    def adjust(self, adjustment: Adjustment) -> None:
        a = adjustment
        values = (*map(_text, (a.student, a.exercise, a.check)), a.points, _text(a.comment), a.automatic)
        self._write(
            'INSERT INTO adjustments (student, exercise, "check", points, comment, automatic, made_at)'
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            *values,
            _stamp(a.made_at),
        )

    def adjustments(self) -> dict[str, dict[tuple[str, str], Adjustment]]:
        """The last decision for each check and submission, of everybody; one without points and words takes it back."""
        found: dict[str, dict[tuple[str, str], Adjustment]] = {}
        for _, student, exercise, check, points, comment, automatic, made_at in self._rows(
            "SELECT * FROM adjustments ORDER BY id"
        ):
            own = found.setdefault(_named(student), {})
            if points is None and not comment:
                own.pop((exercise, check), None)
            else:
                made = _moment(made_at) or now()
                own[exercise, check] = Adjustment(
                    student=_named(student),
                    exercise=exercise,
                    check=check,
                    points=points,
                    comment=_named(comment),
                    automatic=automatic,
                    made_at=made,
                )
        return found


def _text(value: str) -> str | bytes:
    """A text for SQLite; bytes where UTF-8 cannot hold it, as with some names of files."""
    try:
        value.encode()
        return value
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")


def _named(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def _kept(message: Said | None) -> str:
    """A message for SQLite, its text beside it; "" where there is none."""
    if message is None:
        return ""
    return json.dumps({"text": render(message, INSTRUCTOR), "said": msgspec.to_builtins(message)})


def _message(kept: str) -> Said | None:
    """A message that was kept: as its text by release 0.1.0, or where a later release words it."""
    try:
        parts = json.loads(kept)
        message = msgspec.convert(parts["said"], Said)
        return message if TEMPLATES.keys() >= set(message.templates()) else as_text(parts["text"])
    except (ValueError, TypeError, KeyError, RecursionError, msgspec.ValidationError):
        return as_text(kept) if kept else None


def _stamp(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
