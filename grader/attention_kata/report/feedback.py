"""What one student reads about their own submission: points, what is not right yet, and the question that leads on.

Nothing of the answer key is in here, nor of anybody else: see attention_kata.messages.templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..gradebook.standing import Standing
from ..judge.evidence import CheckEvidence, ExerciseEvidence, VerdictKind
from ..messages.render import Voice, render
from ..messages.said import said
from ..messages.templates import Audience
from .format import MARKS, number, percent, span

MAX_LINE = 10_000  # a number that a submission chose tells nothing beyond
NO_GRADE = {
    "missing": "Nothing from you has arrived here. If you did hand something in, tell your instructor.",
    "unreadable": "Your submission could not be read, so it has not been graded. Your instructor can tell you why.",
    "ungradable": "The grader could not do its part. That is not your fault and costs you no points: "
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
    voice = Voice(Audience.PUBLIC, files=frozenset(exercise.file for exercise in row.exercises))
    exercises = tuple(_exercise(row, exercise, voice) for exercise in row.exercises)
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
        return "Everything is right. Well done."
    if not complete:
        return "Below is what stands in the way. Take one exercise at a time, from the top."
    return f"{complete} of {len(exercises)} exercises are complete. For the others, take one at a time, from the top."


def _on_the_whole(row: Standing) -> Iterator[str]:
    """What was decided by hand about the submission as a whole."""
    for a in (row.adjustments or {}).values():
        if not a.exercise:
            said = "" if a.points is None else f"The total was set by hand to {number(a.points)} points."
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
        f"{number(row.before_late)} points minus {lost} leaves {number(row.points)}."
    )


def _exercise(row: Standing, exercise: ExerciseEvidence, voice: Voice) -> ExerciseFeedback:
    points = row.exercise_points(exercise)
    return ExerciseFeedback(
        exercise.id,
        exercise.file,
        number(points),
        number(exercise.max_points),
        points >= exercise.max_points - 1e-9,
        tuple(_check(row, exercise.id, check, voice) for check in exercise.checks),
        _told(exercise, voice),
    )


def _check(row: Standing, exercise: str, check: CheckEvidence, voice: Voice) -> CheckLine:
    decided = (row.adjustments or {}).get((exercise, check.id))
    by_hand = decided is not None and decided.points is not None
    verdict = render(said(f"verdict-{check.verdict}"), voice)
    return CheckLine(
        MARKS.get(check.verdict, "–"),
        check.title,
        f"{verdict}, points given by hand" if by_hand else verdict,
        number(row.check_points(exercise, check)),
        number(check.max_points),
        decided.comment if decided is not None else "",
    )


def _told(exercise: ExerciseEvidence, voice: Voice) -> tuple[Told, ...]:
    """Each reason once.  A check that was skipped for a reason told elsewhere adds only its title."""
    reasons: dict[str, list[CheckEvidence]] = {}
    told_by = {check.message: check for check in exercise.failing if check.verdict is not VerdictKind.SKIPPED}
    for check in exercise.failing:
        reasons.setdefault(told_by.get(check.message, check).told(voice), []).append(check)
    told = []
    for message, checks in reasons.items():
        first = next((check for check in checks if check.verdict is not VerdictKind.SKIPPED), checks[0])
        titles = tuple(check.title for check in checks)
        where = exercise.place(first) if 0 < (first.learner_line or 0) < MAX_LINE else ""
        told.append(Told(titles, message, first.asked(voice), where))
    return tuple(told)
