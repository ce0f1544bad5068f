"""The flow: run a submission, judge and explain every check, score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ..intake.submission import Problem, Submission
from ..key.model import AnswerKey, Exercise
from ..sandbox.fresh import Workers
from ..sandbox.observation import ModuleReport
from ..sandbox.session import Limits, Observations, run_submission
from ..source.forbidden import Use, forbidden_use
from ..source.hiding import blinding_use
from ..source.names import Sources
from .diagnose import Verdict, diagnose
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
    judging = _Judging(submission, key, exercises)
    run = run_submission(submission, exercises, limits, workers, judge=judging)
    for exercise in exercises:
        if exercise.name not in judging.verdicts:
            judging.judge(exercise, run.observations, run.modules.get(exercise.file))
    graded = []
    for exercise in exercises:
        line, notebook = submission.line_of(exercise.file, exercise.name), submission.notebooks.get(exercise.file)
        graded.append(ExerciseGrade(exercise, judging.verdicts[exercise.name], line, notebook))
    return Grade(
        key=key,
        exercises=tuple(graded),
        student=student,
        output=run.output,
        isolation=run.isolation,
        fault=run.fault,
    )


class _Judging:
    """The verdicts on one submission, each exercise's as soon as its last case has run."""

    def __init__(self, submission: Submission, key: AnswerKey, exercises: Sequence[Exercise]):
        self.submission, self.key, self.exercises = submission, key, exercises
        self.verdicts: dict[str, tuple[Verdict, ...]] = {}

    def prepare(self) -> None:
        """Read the source, which needs no worker."""
        self.source  # noqa: B018  kept once made

    def judge(self, exercise: Exercise, observations: Observations, module: ModuleReport | None) -> None:
        files, name = self.submission.problems, exercise.name
        problem: Problem | None = files.get(exercise.file) or files.get(name)
        own = {case: seen for (of, case), seen in observations.items() if of == name}
        uses, hidden = self.source
        self.verdicts[name] = diagnose(exercise, self.key.catalogue, own, module, problem, uses[name], hidden)

    @cached_property
    def source(self) -> tuple[Mapping[str, Use | None], Use | None]:
        """What the source says: the use of forbidden functions by exercise, and what hides them.

        The trees, which take much memory, are let go.
        """
        sources = Sources(self.submission.files)
        uses = {e.name: forbidden_use(sources, e.file, e.name, e.forbidden) for e in self.exercises}
        return uses, blinding_use(sources, {exercise.file for exercise in self.exercises})
