"""Where everybody of a class stands: stored results, decisions by hand and the late policy made into final grades.

Recomputed from the database each time; nothing is run.  Every report and every export is made from these rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..judge.evidence import CheckEvidence, ExerciseEvidence
from .grades import Grades
from .late import LatePolicy, read_policy, read_time, seconds_late
from .records import Adjustment, Handed, Result, Status, Student


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One student.  `points` is None where nothing was graded: that is never the same as zero."""

    student: Student
    status: Status
    max_points: float
    automatic: float | None = None  # what the grader gave
    before_late: float | None = None  # with what was decided by hand
    points: float | None = None  # the final grade
    handed_in: datetime | None = None
    seconds_late: float = 0.0
    penalty: float = 0.0  # fraction of the points that lateness costs
    result: Result | None = None
    adjustments: Mapping[tuple[str, str], Adjustment] | None = None
    attempts: Sequence[Handed] = ()
    on_roster: bool = True  # False only where there is a roster

    @property
    def id(self) -> str:
        return self.student.id

    @property
    def name(self) -> str:
        """The name to show: the roster's or the layout's, else the id."""
        return self.student.name or self.student.id

    @property
    def exercises(self) -> tuple[ExerciseEvidence, ...]:
        """The exercises of the evidence."""
        return self.result.evidence.exercises if self.result is not None else ()

    @property
    def comments(self) -> list[Adjustment]:
        return [a for a in (self.adjustments or {}).values() if a.comment]

    @property
    def outdated(self) -> list[Adjustment]:
        """Decisions by hand under which the automatic score has changed since."""
        return [
            a for a in (self.adjustments or {}).values() if a.points is not None and a.automatic != self.automatic_of(a)
        ]

    def automatic_of(self, adjustment: Adjustment) -> float | None:
        """What the grader gives now where `adjustment` decides."""
        if not adjustment.exercise:
            return self.automatic
        return next(
            (
                check.points
                for exercise in self.exercises
                for check in exercise.checks
                if (exercise.id, check.id) == (adjustment.exercise, adjustment.check)
            ),
            None,
        )

    def check_points(self, exercise: str, check: CheckEvidence) -> float:
        """The points of a check of the evidence, as decided by hand or else as graded."""
        decided = (self.adjustments or {}).get((exercise, check.id))
        return float(check.points if decided is None or decided.points is None else decided.points)

    def exercise_points(self, exercise: ExerciseEvidence) -> float:
        return round(sum(self.check_points(exercise.id, check) for check in exercise.checks), 6)


@dataclass(frozen=True)
class Terms:
    """What holds for the whole class."""

    due: datetime | None
    policy: LatePolicy

    @classmethod
    def of(cls, grades: Grades) -> Terms:
        due, policy = grades.setting("due"), grades.setting("late")
        return cls(read_time(due) if due else None, read_policy(policy) if policy else LatePolicy())


def standings(grades: Grades) -> Iterator[Standing]:
    """Everybody, one at a time, in the order of their ids."""
    terms, decisions, attempts = Terms.of(grades), grades.adjustments(), grades.attempts()
    has_roster = bool(grades.setting("roster"))
    max_points = float(grades.setting("max_points") or 0)
    results = grades.results()
    result = next(results, None)
    for student in grades.students():
        while result is not None and _order(result.student) < _order(student.id):
            result = next(results, None)
        own = result if result is not None and result.student == student.id else None
        tried = attempts.get(student.id, [])
        on_roster = not has_roster or student.roster is not None
        yield _standing(student, own, decisions.get(student.id, {}), tried, terms, max_points, on_roster)


def _order(student: str) -> tuple[bool, bytes]:
    """The order of ids in the database: those that UTF-8 cannot hold last."""
    try:
        return (False, student.encode())
    except UnicodeEncodeError:
        return (True, student.encode("utf-8", "surrogatepass"))


def _standing(
    student: Student,
    result: Result | None,
    decided: Mapping[tuple[str, str], Adjustment],
    attempts: Sequence[Handed],
    terms: Terms,
    max_points: float,
    on_roster: bool,
) -> Standing:
    status = _status(student, result, attempts)
    handed_in = result.handed_in if result is not None else (attempts[-1].handed_in if attempts else None)
    late = seconds_late(handed_in, terms.due, student.extension)
    row = Standing(
        student=student,
        status=status,
        max_points=result.max_points if result is not None and not result.fault else max_points,
        handed_in=handed_in,
        seconds_late=late,
        result=result if status is Status.GRADED else None,
        adjustments=decided,
        attempts=attempts,
        on_roster=on_roster,
    )
    automatic = result.points if result is not None and status is Status.GRADED else None
    whole = decided.get(("", ""))
    if whole is not None and whole.points is not None:
        before = whole.points
    elif automatic is not None:
        before = round(sum(row.exercise_points(exercise) for exercise in row.exercises), 6)
    else:
        return row
    penalty = terms.policy.penalty(late)
    points = round(before * (1 - penalty), 6)
    return replace(row, automatic=automatic, before_late=before, points=points, penalty=penalty)


def _status(student: Student, result: Result | None, attempts: Sequence[Handed]) -> Status:
    if student.problem:
        return Status.UNREADABLE
    if not attempts:
        return Status.MISSING
    if result is None:
        return Status.WAITING
    return Status.UNGRADABLE if result.fault else Status.GRADED
