"""The flow: run a submission, judge and explain every check, score."""

from __future__ import annotations

from collections.abc import Sequence

from .blinding import blinding_use
from .diagnose import Problem, diagnose
from .engine import Limits, run_submission
from .model import AnswerKey, Exercise
from .names import Sources
from .policy import forbidden_use
from .process import Workers
from .score import ExerciseGrade, Grade
from .submission import Submission


def grade(
    submission: Submission,
    key: AnswerKey,
    exercises: Sequence[Exercise],
    limits: Limits = Limits(),  # noqa: B008  frozen
    workers: Workers = Workers(),  # noqa: B008
    student: str | None = None,
) -> Grade:
    """Grade `submission` on `exercises`, which are some or all of the key's."""
    run = run_submission(submission, exercises, limits, workers)
    sources = Sources(submission.files)
    hidden = blinding_use(sources, {exercise.file for exercise in exercises})
    graded = []
    for exercise in exercises:
        observations = {case: seen for (name, case), seen in run.observations.items() if name == exercise.name}
        problem: Problem | None = submission.problems.get(exercise.file) or submission.problems.get(exercise.name)
        use = forbidden_use(sources, exercise.file, exercise.name, exercise.forbidden)
        verdicts = diagnose(exercise, key.catalogue, observations, run.modules.get(exercise.file), problem, use, hidden)
        line, notebook = submission.line_of(exercise.file, exercise.name), submission.notebooks.get(exercise.file)
        graded.append(ExerciseGrade(exercise, verdicts, line, notebook))
    return Grade(key, tuple(graded), student, run.output, run.isolation, run.fault)
