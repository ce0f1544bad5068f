"""What one student reads about their own submission: points, what is not right yet, and the question that leads on.

Nothing of the answer key is in here, nor of anybody else: see attention_kata.messages.templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..gradebook.about import lateness, no_grade, total_by_hand
from ..gradebook.standing import Standing
from ..judge.evidence import CheckEvidence, ExerciseEvidence, VerdictKind
from ..messages.render import Voice, render
from ..messages.said import Said, said
from ..messages.templates import Audience
from .format import MARKS, number


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
        render(no_grade(row) or _opening(exercises), voice),
        number(row.points),
        number(row.max_points),
        render(lateness(row), voice),
        tuple(_on_the_whole(row, voice)),
        exercises,
    )


def _opening(exercises: Sequence[ExerciseFeedback]) -> Said:
    complete = sum(exercise.complete for exercise in exercises)
    if complete == len(exercises):
        return said("opening-complete")
    if not complete:
        return said("opening-nothing")
    return said("opening-some", done=complete, count=len(exercises))


def _on_the_whole(row: Standing, voice: Voice) -> Iterator[str]:
    """What was decided by hand about the submission as a whole."""
    for a in (row.adjustments or {}).values():
        if not a.exercise:
            total = render(total_by_hand(a.points), voice) if a.points is not None else ""
            yield " ".join(filter(None, (total, a.comment)))


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
    verdict = said(f"verdict-{check.verdict}")
    return CheckLine(
        MARKS.get(check.verdict, "–"),
        check.title,
        render(said("given-by-hand", inner=verdict) if by_hand else verdict, voice),
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
        where = exercise.place(first) if first.public_line else ""
        told.append(Told(titles, message, first.asked(voice), where))
    return tuple(told)
