"""The flow: run a submission, judge and explain every check, score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..intake.submission import Submission
from ..key.model import AnswerKey, Exercise
from ..sandbox.fresh import Workers
from ..sandbox.session import Limits, Session
from ..source.absent import Absent, absent
from ..source.forbidden import Use, forbidden_use
from ..source.hiding import blinding_use
from ..source.names import Sources
from .diagnose import diagnose
from .score import ExerciseGrade, Grade


def grade(
    submission: Submission,
    key: AnswerKey,
    exercises: Sequence[Exercise],
    limits: Limits = Limits(),  # noqa: B008  frozen
    workers: Workers = Workers(),  # noqa: B008
    student: str | None = None,
) -> Grade:
    """Grade `submission` on `exercises`, which are some or all of the key's."""
    files, verdicts = submission.problems, {}
    with Session(submission, exercises, limits, workers) as session:
        uses, hidden, absences = _read(submission, exercises)  # while the worker begins
        for exercise, observations, module in session:  # while it goes on with the next
            problem = files.get(exercise.file) or files.get(exercise.name)
            verdicts[exercise.name] = diagnose(
                exercise,
                key.catalogue,
                observations,
                module,
                problem,
                uses[exercise.name],
                hidden,
                absences[exercise.name],
            )
    graded = []
    for exercise in exercises:
        line, notebook = submission.line_of(exercise.file, exercise.name), submission.notebooks.get(exercise.file)
        graded.append(ExerciseGrade(exercise, verdicts[exercise.name], line, notebook))
    return Grade(
        key=key,
        exercises=tuple(graded),
        student=student,
        output=session.output,
        isolation=session.isolation,
        fault=session.fault,
    )


def _read(
    submission: Submission, exercises: Sequence[Exercise]
) -> tuple[Mapping[str, Use | None], Use | None, Mapping[str, Absent | None]]:
    """What the source says by exercise: the use of forbidden functions, what hides them, why a name is not there.

    The trees, which take much memory, are let go.
    """
    sources, names = Sources(submission.files), {exercise.name for exercise in exercises}
    uses = {e.name: forbidden_use(sources, e.file, e.name, e.forbidden) for e in exercises}
    absences = {e.name: absent(sources, e.file, e.name, e.asks_for, names - {e.name}) for e in exercises}
    return uses, blinding_use(sources, {exercise.file for exercise in exercises}), absences
