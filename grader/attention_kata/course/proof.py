"""The proofs of `kata dev check`: stubs fail, right answers pass, every mistake is caught and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from .. import authoring
from ..intake.submission import read_submission
from ..judge.compare import compare, near
from ..judge.diagnose import Verdict, diagnose
from ..judge.grading import grade
from ..judge.recognise import Confidence
from ..key.model import AnswerKey, Category, DrawnCase, Exercise, Mistake
from ..messages.render import render
from ..sandbox.observation import Observation, Outcome
from .draw import TOLERANCE, assemble, choices, draw_cases, observe_all, observe_case, observe_choices, tabulate
from .find import Course
from .pool import processes
from .trials import Trials


@dataclass
class Counts:
    """How often each claim was tried."""

    right: int = 0
    mistakes: int = 0
    named: int = 0
    pairs: int = 0
    cleared: int = 0  # titles of mechanisms that are called right beside a mistake
    torch: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        for name in ("right", "mistakes", "named", "pairs", "cleared", "torch"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.problems += other.problems


@dataclass(frozen=True)
class Task:
    course: Course
    exercise: str
    seed: int
    with_pairs: bool


def prove(
    course: Course, names: Iterable[str], seeds: int, jobs: int, done: Callable[[Task], None]
) -> dict[str, Counts]:
    """Prove every exercise in `names` on seeds 0, 1, ...; pairs on the first.  Counts and problems by exercise."""
    names = list(names)
    counts = {name: Counts() for name in names}
    for _, solution in course.solutions:
        if solution.name in counts:
            counts[solution.name].problems += static_problems(solution, course.catalogue)
    for name, problems in stub_problems(course, names).items():
        counts[name].problems += problems
    tasks = [Task(course, name, seed, with_pairs=seed == 0) for seed in range(seeds) for name in names]
    with processes(jobs) as pool:
        for task, result in zip(tasks, pool.map(_prove_task, tasks), strict=True):
            counts[task.exercise].add(result)
            done(task)
    return counts


def _prove_task(task: Task) -> Counts:
    topic, solution = next((t, s) for t, s in task.course.solutions if s.name == task.exercise)
    return prove_exercise(solution, f"{topic}.py", task.course.catalogue, task.seed, task.with_pairs)


def static_problems(solution: authoring.Solution, catalogue: Mapping[str, Mistake]) -> Iterator[str]:
    """What can be said without running anything."""
    total = sum(check.points for check in solution.checks)
    if total != solution.points:
        yield f"its checks add up to {total:g} points, not {solution.points:g}"
    known = {case.id for case in solution.cases} | (set(authoring.DRAWS) if solution.domain else set())
    for check in solution.checks:
        for case in set(check.cases) - known:
            yield f"check {check.id} names the case {case!r}, which does not exist"
    for mechanism in solution.mechanisms:
        for id in mechanism.mistakes:
            if id not in catalogue:
                yield f"mistake {id} is not in the catalogue"
    for mechanism in solution.mechanisms:
        if not mechanism.right:
            yield f"mechanism {mechanism.name} has no right variant"


def stub_problems(course: Course, names: list[str]) -> dict[str, list[str]]:
    """Every stub must fail its exercise, as not started.  Runs the stubs in a real worker."""
    problems: dict[str, list[str]] = {name: [] for name in names}
    exercises = []
    for topic, solution in course.solutions:
        if solution.name in problems:
            cases = draw_cases(solution, 0)
            exercises.append(assemble(solution, f"{topic}.py", cases, tabulate(solution, cases, ())))
    key = AnswerKey(course.id, course.title, course.version, torch.__version__, 0, tuple(exercises), {})
    stubs = read_submission(course.exercises, key.files)
    for graded in grade(stubs, key, exercises).exercises:
        name = graded.exercise.name
        if graded.points:
            problems[name].append(f"the stub earns {graded.points:g} points")
        told = graded.verdicts[0]
        if not told.not_started:
            problems[name].append(f"the stub is not recognised as not started: {render(told.message)}")
    return problems


def prove_exercise(
    solution: authoring.Solution, file: str, catalogue: Mapping[str, Mistake], seed: int, with_pairs: bool
) -> Counts:
    """All claims about one exercise on one seed."""
    counts = Counts()
    cases, trials = draw_cases(solution, seed), Trials()
    chosen = list(choices(solution, most=2 if with_pairs else 1))
    observed = list(observe_choices(solution, cases, chosen, trials))
    exercise = assemble(solution, file, cases, tabulate(solution, cases, observed))
    say = _Sayer(solution, seed, counts)

    targets: list[tuple[str, Any]] = [("the reference", solution.reference)]
    targets += [(f"right answer {name!r}", target) for name, target in solution.also_right.items()]
    for name, target in targets:
        counts.right += 1
        say.all(name, _failures(exercise, observe_all(solution, target, cases)))
        say.all(f"{name} in float32", _float32_failures(solution, target, cases))
    for (ids, keywords), (_, observations) in zip(chosen, observed, strict=True):
        if ids:
            continue
        counts.right += 1
        name = f"right variant {_named(solution, keywords)}"
        say.all(name, _failures(exercise, observations))
        if seed == 0:
            say.all(f"{name} in float32", _float32_failures(solution, solution.variant(**keywords), cases))

    for (ids, keywords), (_, observations) in zip(chosen, observed, strict=True):
        if not ids:
            continue
        counts.mistakes += len(ids) == 1
        counts.pairs += len(ids) == 2
        what = f"mistake {' + '.join(ids)} ({_named(solution, keywords)})"
        verdicts = diagnose(exercise, catalogue, observations)
        problem = _not_caught_or_named(exercise, catalogue, ids, verdicts)
        counts.named += len(ids) == 1 and not problem
        if problem:
            say(what, problem)
        right = called_right(verdicts)
        counts.cleared += len(right)
        say.all(what, (f"is told that this is right: {title}" for title in right & wrong_titles(solution, keywords)))
    for name, target in solution.torch_says.items():
        for case in cases:
            counts.torch += 1
            say.all(f"torch's {name}", _torch_failures(solution, target, case))
    return counts


class _Sayer:
    def __init__(self, solution: authoring.Solution, seed: int, counts: Counts):
        self.seed, self.counts = seed, counts

    def __call__(self, what: str, problem: str) -> None:
        self.counts.problems.append(f"seed {self.seed}: {what}: {problem}")

    def all(self, what: str, problems: Iterable[str]) -> None:
        for problem in problems:
            self(what, problem)


def _named(solution: authoring.Solution, keywords: Mapping[str, Any]) -> str:
    """The choice in words: what differs from the reference's way."""
    words = []
    for mechanism in solution.mechanisms:
        for i, (name, value) in enumerate(mechanism.right.items()):
            if value is keywords[mechanism.name] and i > 0:
                words.append(f"{mechanism.name}: {name}")
    return ", ".join(words) or "otherwise as the reference"


def _failures(exercise: Exercise, observations: Mapping[str, Observation]) -> Iterator[str]:
    for check in exercise.checks:
        finding = compare(check, exercise, observations)
        if finding:
            error = observations[finding.case].error
            yield f"fails check {check.id} in case {finding.case!r}: {finding.kind} {error.message if error else ''}"


def _float32_failures(solution: authoring.Solution, target: Any, cases: tuple[DrawnCase, ...]) -> Iterator[str]:
    """The float64 cases once more in float32, where float32 holds the inputs exactly and they are not steep."""
    trials = Trials()
    for case in cases:
        if not case.fingerprinted or case.raises or case.tolerance > TOLERANCE["float64"] or not _fits_float32(case):
            continue
        narrow = replace(case, script={**case.script, "dtype": "float32"}, tolerance=TOLERANCE["float32"])
        seen = observe_case(solution, target, narrow, trials)
        dtypes = tuple("float32" if dtype == "float64" else dtype for dtype in case.dtypes)
        exercise = assemble(solution, "", (replace(narrow, dtypes=dtypes),), tabulate(solution, (), ()))
        check = authoring.Check("float32", "", Category.ROBUSTNESS, 0, (case.id,))
        finding = compare(check, exercise, {case.id: seen})
        if finding:
            yield f"case {case.id!r}: {finding.kind}"


def _fits_float32(case: DrawnCase) -> bool:
    floats = [array for array in case.arrays.values() if array.dtype == np.float64]
    return all(
        np.array_equal(array.astype(np.float32), array) and np.abs(array).max(initial=0) < 1e3 for array in floats
    )


def _not_caught_or_named(
    exercise: Exercise, catalogue: Mapping[str, Mistake], ids: tuple[str, ...], verdicts: Sequence[Verdict]
) -> str:
    failed = [verdict for verdict in verdicts if verdict.verdict not in ("passed", "ungradable")]
    if not failed:
        return "passes every check" if len(ids) == 1 else ""  # a pair is not run in every case
    named = {id for verdict in failed for id in verdict.mistakes}
    allowed = {twin for id in ids for twin in _twins(exercise, catalogue, id)}
    if not named:
        return f"is caught by {', '.join(v.check.id for v in failed)}, but not named"
    if len(ids) == 1 and not all(_names(verdict, allowed) for verdict in failed):
        return f"is named {', '.join(sorted(named - allowed))}"
    other_pair = any(len(v.mistakes) > 1 and v.confidence != "either" for v in failed)
    if other_pair and not named & allowed:  # a single mistake that gives the same is the better explanation
        return f"is named {', '.join(sorted(named))}"
    return ""


def _names(verdict: Verdict, allowed: set[str]) -> bool:
    """Whether a verdict names nothing else; as one of two where no result tells the two apart."""
    if verdict.confidence is Confidence.EITHER:
        return not allowed.isdisjoint(verdict.mistakes)
    return allowed.issuperset(verdict.mistakes)


def called_right(verdicts: Iterable[Verdict]) -> set[str]:
    """Titles of the mechanisms that are said to be right already."""
    return {title for verdict in verdicts for title in verdict.already_right}


def wrong_titles(solution: authoring.Solution, keywords: Mapping[str, Any]) -> set[str]:
    """Titles of the mechanisms whose value in a choice is none of the right ones."""
    return {
        mechanism.title
        for mechanism in solution.mechanisms
        if not any(keywords[mechanism.name] is value for value in mechanism.right.values())
    }


def _twins(exercise: Exercise, catalogue: Mapping[str, Mistake], id: str) -> set[str]:
    declared = {twin for ids in exercise.twins if id in ids for twin in ids}
    return {id, *catalogue[id].twins, *declared}


def _torch_failures(solution: authoring.Solution, target: Any, case: DrawnCase) -> Iterator[str]:
    """The reference against torch's own, on ordinary cases; None in torch's result is not compared."""
    if not case.fingerprinted or case.raises or case.tolerance > TOLERANCE["float64"] or case.script["upstream"]:
        return
    seen = Trials().run(solution.name, target, {**case.script, "purity": False, "operations": False}, case.arrays)
    if seen.outcome is not Outcome.RETURNED:
        yield f"case {case.id!r}: {seen.outcome} {seen.error.message if seen.error else seen.refused}"
        return
    for i, (expected, result) in enumerate(zip(case.results, seen.results, strict=True)):
        if result.value is None:
            continue
        free = case.free[i] if i < len(case.free) else None
        right = near(result.value, expected, case)
        if not (right if free is None else right | free).all():
            yield f"case {case.id!r}: result {i} differs"


def kill_matrix(solution: authoring.Solution, file: str, seed: int) -> dict[str, dict[str, bool]]:
    """mistake id -> check id -> whether the check fails, for the first writing of each mistake."""
    cases = draw_cases(solution, seed)
    exercise = assemble(solution, file, cases, tabulate(solution, cases, ()))
    matrix: dict[str, dict[str, bool]] = {}
    for ids, keywords in choices(solution, most=1):
        if ids and ids[0] not in matrix:
            observations = observe_all(solution, solution.variant(**keywords), cases)
            matrix[ids[0]] = {check.id: compare(check, exercise, observations) is not None for check in exercise.checks}
    return matrix
