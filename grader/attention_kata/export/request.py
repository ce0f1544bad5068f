"""What an export is asked for: the database, and the options of `kata export`."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..errors import KataError
from ..gradebook.grades import Grades
from ..gradebook.records import Identity, Result, Status, Student, now
from ..gradebook.standing import Standing, standings
from ..judge.evidence import Evidence, from_json

MAX_JSON = 64 << 20


class BadExport(KataError):
    """An export that cannot be made, in one line that says what to do."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """`say` takes what the instructor should know and the file does not show."""

    db: Path = Path("grades.db")
    into: Path | None = None  # the platform's own file, to be filled in
    column: str = ""
    user: str = "email"  # the field by which Moodle knows somebody
    student: str = ""
    from_: Path | None = None  # what `kata check --json` printed, in place of the database
    bom: bool = False
    key: Path | None = None
    package: str = ""  # a wheel, an sdist or a requirement line
    say: Callable[[str], None] = print
    held: tuple[Standing, ...] | None = None  # everybody, where a gradebook that is not ours holds the grades

    @cached_property
    def grades(self) -> Grades:
        return Grades(self.db)

    def close(self) -> None:
        if "grades" in self.__dict__:  # it was opened
            self.grades.close()

    def rows(self) -> Iterator[Standing]:
        """The class, or the one student that was asked for, one at a time."""
        if self.from_ is not None:
            yield _read_evidence(self.from_)
        elif self.held is not None:
            yield from self.held
        elif self.student:
            yield self.one()
        else:
            yield from standings(self.grades)

    def one(self) -> Standing:
        """The student of --student, or the only one there is; BadExport otherwise."""
        if self.from_ is not None:
            return _read_evidence(self.from_)
        if self.held is not None and len(self.held) == 1:
            return self.held[0]
        if not self.student:
            raise BadExport("this format is for one student: name one with --student ID")
        found = next((row for row in standings(self.grades) if row.id == self.student), None)
        if found is None:
            near = difflib.get_close_matches(self.student, [s.id for s in self.grades.students()], 1)
            hint = f"did you mean {near[0]!r}?" if near else "`kata export csv --out -` lists everybody"
            raise BadExport(f"{self.db} has no student {self.student!r}: {hint}")
        return found

    def light(self) -> list[Standing]:
        """Everybody at once, without the evidence, which would not fit into memory for a large class."""
        return [replace(row, result=None) for row in self.rows()]


def of_evidence(evidence: Evidence) -> Standing:
    """The standing of somebody of whom there is only the evidence."""
    student, points, most = evidence.student or "", evidence.points, evidence.max_points
    if evidence.fault:
        return Standing(student=Student(id=student), status=Status.UNGRADABLE, max_points=most)
    none = Identity("", "", "", "")
    result = Result(
        student=student,
        identity=none,
        handed_in=None,
        graded_at=now(),
        seconds=0.0,
        torch="",
        grader="",
        points=points,
        max_points=most,
        fault="",
        evidence=evidence,
    )
    return Standing(
        student=Student(id=student),
        status=Status.GRADED,
        max_points=most,
        automatic=points,
        before_late=points,
        points=points,
        result=result,
    )


def _read_evidence(path: Path) -> Standing:
    try:
        if path.stat().st_size > MAX_JSON:
            raise BadExport(f"{path} is larger than {MAX_JSON >> 20} MiB: give what `kata check --json` printed")
        return of_evidence(from_json(json.loads(path.read_bytes())))
    except OSError as error:
        raise BadExport(f"{path} cannot be read: {error.strerror}. Give what `kata check --json` printed") from None
    except (ValueError, RecursionError):
        raise BadExport(f"{path} is not what `kata check --json` prints: run it again") from None
