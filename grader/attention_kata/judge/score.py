"""Verdicts turned into points, and into the evidence that everything else is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..intake.submission import CellMap
from ..key.model import AnswerKey, Exercise
from ..messages.render import LEARNER, Voice, render
from ..messages.said import Place, Said
from .diagnose import Verdict
from .evidence import (
    SCHEMA,
    CheckEvidence,
    CourseVersion,
    Details,
    Evidence,
    ExerciseEvidence,
    Sayings,
    VerdictKind,
    general,
)


@dataclass(frozen=True)
class ExerciseGrade:
    """The verdicts on one exercise."""

    exercise: Exercise
    verdicts: tuple[Verdict, ...]
    line: int | None = None  # where the learner's function or class begins
    notebook: CellMap | None = None  # where the file's lines came from

    @property
    def points(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)


@dataclass(frozen=True, kw_only=True)
class Grade:
    """The grade of one submission."""

    key: AnswerKey
    exercises: tuple[ExerciseGrade, ...]
    student: str | None = None
    output: str = ""
    isolation: Mapping[str, str] | None = None
    fault: str = ""  # ours: why checks are ungradable

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def max_points(self) -> float:
        return float(sum(exercise.exercise.points for exercise in self.exercises))


def evidence_of(grade: Grade, voice: Voice = LEARNER) -> Evidence:
    """Everything there is to show of a grade, with its texts in the language of `voice`."""
    return Evidence(
        schema=SCHEMA,
        course=CourseVersion(grade.key.course, grade.key.version),
        student=grade.student,
        points=grade.points,
        max_points=grade.max_points,
        exercises=tuple(_exercise(exercise, voice) for exercise in grade.exercises),
        output=grade.output,
        isolation=dict(grade.isolation or {}),
        fault=grade.fault,
    )


def _exercise(graded: ExerciseGrade, voice: Voice) -> ExerciseEvidence:
    return ExerciseEvidence(
        id=graded.exercise.name,
        file=graded.exercise.file,
        points=graded.points,
        max_points=float(graded.exercise.points),
        not_started=graded.verdicts[0].not_started,
        checks=tuple(_check(verdict, graded, voice) for verdict in graded.verdicts),
    )


def _check(verdict: Verdict, graded: ExerciseGrade, voice: Voice) -> CheckEvidence:
    own = verdict.line if verdict.file == graded.exercise.file else None  # the error may be in another file
    line = own or (graded.line if verdict.verdict is not VerdictKind.PASSED else None)
    cell = None
    if line is not None and graded.notebook is not None:
        cell, line = graded.notebook.where(line)
    elsewhere = Place(verdict.file, verdict.line) if verdict.file and verdict.line and own is None else None
    message, evidence, shape = (_placed(each, graded) for each in (verdict.message, verdict.evidence, verdict.shape))
    return CheckEvidence(
        id=verdict.check.id,
        category=verdict.check.category,
        title=verdict.check.title,
        verdict=verdict.verdict,
        points=float(verdict.points),
        max_points=float(verdict.check.points),
        mistakes=verdict.mistakes,
        confidence=verdict.confidence,
        message=render(message, voice) or general(verdict.verdict, voice),
        hint=render(verdict.hint, voice),
        details=Details(first_mismatch=render(evidence, voice), shape=render(shape, voice), heat=verdict.heat),
        learner_line=line,
        learner_cell=cell,
        elsewhere=elsewhere,
        already_right=verdict.already_right,
        seconds=verdict.seconds,
        said=None
        if message is None
        else Sayings(message=message, hint=verdict.hint, first_mismatch=evidence, shape=shape),
    )


def _placed(message: Said | None, graded: ExerciseGrade) -> Said | None:
    """Where it names a line of a file that was made of a notebook, the cell: the learner has never seen that file."""
    if message is None or graded.notebook is None:
        return message
    notebook, file = graded.notebook, graded.exercise.file

    def where(place: Place) -> Place:
        if place.file != file or place.line is None:
            return place
        cell, line = notebook.where(place.line)
        return Place(file, line, cell)

    return message.relocated(where)
