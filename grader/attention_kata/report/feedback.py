"""What one student reads about their own submission: points, what is not right yet, and the question that leads on.

Nothing of the answer key is in here, nor of anybody else: see `told`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..gradebook.standing import Standing
from ..judge.audience import VERDICTS, line_to_tell, may_tell
from ..judge.score import place
from .format import MARKS, number, percent, span

NO_GRADE = {
    "missing": "Nothing of yours has been handed in here. If you did hand something in, tell your instructor.",
    "unreadable": "What you handed in could not be read, so it has not been graded. Your instructor can tell you why.",
    "ungradable": "The grader could not do its part. That is not your fault, and it does not cost you points: "
    "your work will be graded again.",
    "waiting": "Your work has arrived and has not been graded yet.",
}


@dataclass(frozen=True)
class CheckLine:
    mark: str
    title: str
    verdict: str
    points: str
    max_points: str
    comment: str = ""


@dataclass(frozen=True)
class Told:
    """One reason, with the titles of the checks it concerns."""

    titles: tuple[str, ...]
    message: str
    hint: str
    place: str  # where in the student's work, "" where it cannot be told


@dataclass(frozen=True)
class ExerciseFeedback:
    name: str
    file: str
    points: str
    max_points: str
    complete: bool
    checks: tuple[CheckLine, ...]
    told: tuple[Told, ...]


@dataclass(frozen=True)
class Feedback:
    name: str
    id: str
    title: str
    opening: str
    points: str
    max_points: str
    lateness: str
    comments: tuple[str, ...]  # on the submission as a whole
    exercises: tuple[ExerciseFeedback, ...]


def feedback_for(row: Standing, title: str) -> Feedback:
    """`title` is the course's."""
    files = tuple(dict.fromkeys(str(exercise["file"]) for exercise in row.exercises))
    exercises = tuple(_exercise(row, exercise, files) for exercise in row.exercises)
    return Feedback(
        row.name,
        row.id,
        title,
        _opening(row, exercises),
        number(row.points),
        number(row.max_points),
        _lateness(row),
        tuple(_on_the_whole(row)),
        exercises,
    )


def _opening(row: Standing, exercises: Sequence[ExerciseFeedback]) -> str:
    if row.status != "graded":
        return NO_GRADE[row.status]
    complete = sum(exercise.complete for exercise in exercises)
    if complete == len(exercises):
        return "All of it is right. Well done."
    if not complete:
        return "Below is what stands in the way. Take one exercise at a time, from the top."
    return f"{complete} of {len(exercises)} exercises are complete. For the others, take one at a time, from the top."


def _on_the_whole(row: Standing) -> Iterator[str]:
    """What was decided by hand about the submission as a whole."""
    for a in (row.adjustments or {}).values():
        if not a.exercise:
            said = "" if a.points is None else f"The total is set by hand, to {number(a.points)} points."
            yield " ".join(filter(None, (said, a.comment)))


def _lateness(row: Standing) -> str:
    if not row.seconds_late or row.points is None or row.before_late is None:
        return ""
    late = f"Handed in {span(row.seconds_late)} after the due date"
    if not row.penalty:
        return f"{late}, which costs nothing."
    lost = number(row.before_late - row.points)
    return (
        f"{late}: {percent(row.penalty)} of the points are taken off. "
        f"{number(row.before_late)} points less {lost} make {number(row.points)}."
    )


def _exercise(row: Standing, exercise: Mapping[str, Any], files: Sequence[str]) -> ExerciseFeedback:
    points = row.exercise_points(exercise)
    return ExerciseFeedback(
        exercise["id"],
        exercise["file"],
        number(points),
        number(float(exercise["max_points"])),
        points >= float(exercise["max_points"]) - 1e-9,
        tuple(_check(row, exercise["id"], check) for check in exercise["checks"]),
        _told(exercise, files),
    )


def _check(row: Standing, exercise: str, check: Mapping[str, Any]) -> CheckLine:
    decided = (row.adjustments or {}).get((exercise, check["id"]))
    by_hand = decided is not None and decided.points is not None
    verdict = VERDICTS.get(check["verdict"], check["verdict"])
    return CheckLine(
        MARKS.get(check["verdict"], "–"),
        check["title"],
        f"{verdict}, points given by hand" if by_hand else verdict,
        number(row.check_points(exercise, check)),
        number(float(check["max_points"])),
        decided.comment if decided is not None else "",
    )


def _told(exercise: Mapping[str, Any], files: Sequence[str]) -> tuple[Told, ...]:
    """Each reason once.  A check that was skipped for a reason told elsewhere adds only its title."""
    reasons: dict[str, list[Mapping[str, Any]]] = {}
    checks = [check for check in exercise["checks"] if check["verdict"] != "passed"]
    told_by = {check["message"]: check for check in checks if check["verdict"] != "skipped"}
    for check in checks:
        reasons.setdefault(may_tell(told_by.get(check["message"], check), files), []).append(check)
    told = []
    for message, checks in reasons.items():
        first = next((check for check in checks if check["verdict"] != "skipped"), checks[0])
        titles = tuple(check["title"] for check in checks)
        where = place(exercise, first) if line_to_tell(first) else ""
        told.append(Told(titles, message, first["hint"], where))
    return tuple(told)
