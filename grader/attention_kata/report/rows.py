"""The table of students, and what there is to say of each of them beyond their row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..gradebook.records import Adjustment, Status
from ..gradebook.standing import Standing
from ..judge.evidence import CheckEvidence, ExerciseEvidence, VerdictKind
from ..messages.render import INSTRUCTOR, render
from ..text import on_one_line
from .format import moment, number, percent, span

LARGE = 2000  # students; of a larger class only some details are embedded
MAX_DETAILS = 600


@dataclass(frozen=True)
class Row:
    """One student's line, as text."""

    index: int
    id: str
    name: str
    status: Status
    points: str
    exercises: tuple[str, ...]
    seconds_late: int
    late: str
    penalty: str
    by_hand: int
    flags: tuple[str, ...]
    detailed: bool


@dataclass(frozen=True)
class Cause:
    """Checks of one exercise that fail for one reason."""

    exercise: str
    titles: tuple[str, ...]
    verdict: str
    message: str
    evidence: str
    place: str
    lost: str


@dataclass(frozen=True)
class Decision:
    """One adjustment in words."""

    what: str
    points: str
    then: str  # what the grader had given when it was made
    now: str  # and what it gives now, where that has changed
    comment: str


@dataclass(frozen=True)
class Detail:
    index: int
    id: str
    name: str
    status: Status
    points: str
    max_points: str
    before_late: str
    handed_in: str
    problem: str
    decisions: tuple[Decision, ...]
    causes: tuple[Cause, ...]


@dataclass
class Rows:
    """Built one student at a time; `students` is how many there are."""

    students: int
    names: dict[str, float] = field(default_factory=dict)  # the exercises and their points
    rows: list[Row] = field(default_factory=list)
    details: list[Detail] = field(default_factory=list)

    def add(self, index: int, row: Standing) -> None:
        for exercise in row.exercises:
            self.names.setdefault(exercise.id, exercise.max_points)
        detailed = self._room(row)
        if detailed:
            self.details.append(_detail(index, row))
        self.rows.append(_row(index, row, self.names, detailed))

    def _room(self, row: Standing) -> bool:
        """Everybody in a class of ordinary size; in a large one the first, and whoever somebody has to look at."""
        if self.students <= LARGE:
            return True
        if row.status in (Status.UNREADABLE, Status.UNGRADABLE) or row.adjustments:
            return len(self.details) < 2 * MAX_DETAILS
        return len(self.details) < MAX_DETAILS and bool(row.exercises)

    @property
    def without_details(self) -> int:
        return len(self.rows) - len(self.details)


def _row(index: int, row: Standing, exercises: Mapping[str, float], detailed: bool) -> Row:
    own = {exercise.id: number(row.exercise_points(exercise)) for exercise in row.exercises}
    return Row(
        index,
        on_one_line(row.id, 200),
        on_one_line(row.name, 200),
        row.status,
        number(row.points),
        tuple(own.get(name, "–") for name in exercises),
        int(row.seconds_late),
        span(row.seconds_late) or "–",
        percent(row.penalty) if row.penalty else "–",
        len(row.adjustments or {}),
        tuple(_flags(row)),
        detailed,
    )


def _flags(row: Standing) -> list[str]:
    flags = {
        "outdated": bool(row.outdated),
        "by hand": bool(row.adjustments),
        "late": row.seconds_late > 0,
        "not on the roster": not row.on_roster,
        "several attempts": len(row.attempts) > 1,
    }
    return [name for name, holds in flags.items() if holds]


def _detail(index: int, row: Standing) -> Detail:
    return Detail(
        index,
        on_one_line(row.id),
        on_one_line(row.name),
        row.status,
        number(row.points),
        number(row.max_points),
        number(row.before_late) if row.penalty else "",
        moment(row.handed_in),
        render(row.student.problem, INSTRUCTOR),
        tuple(_decision(row, a) for a in (row.adjustments or {}).values()),
        tuple(cause for exercise in row.exercises for cause in causes(row, exercise)),
    )


def _decision(row: Standing, a: Adjustment) -> Decision:
    what = f"{a.exercise} › {a.check}" if a.exercise else "the whole submission"
    now = number(row.automatic_of(a)) if a in row.outdated else ""
    return Decision(
        what,
        "" if a.points is None else number(a.points),
        "" if a.automatic is None else number(a.automatic),
        now,
        a.comment,
    )


def causes(row: Standing, exercise: ExerciseEvidence) -> list[Cause]:
    """What failed in an exercise, each reason once with the checks it takes along."""
    found: dict[str, list[CheckEvidence]] = {}
    for check in exercise.failing:
        found.setdefault(check.message, []).append(check)
    return [_cause(row, exercise, message, checks) for message, checks in found.items()]


def _cause(row: Standing, exercise: ExerciseEvidence, message: str, checks: Sequence[CheckEvidence]) -> Cause:
    first = next((check for check in checks if check.verdict is not VerdictKind.SKIPPED), checks[0])
    lost = sum(check.max_points - row.check_points(exercise.id, check) for check in checks)
    evidence = first.details.first_mismatch
    titles = tuple(check.title for check in checks)
    return Cause(
        exercise.id,
        titles if len(checks) < len(exercise.checks) else ("every check",),
        first.verdict,
        message,
        evidence,
        exercise.place(first),
        number(lost),
    )
