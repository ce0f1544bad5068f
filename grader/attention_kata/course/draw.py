"""Turning a course and a seed into an answer key.  Needs torch and the solutions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import torch

from .. import authoring
from ..judge.trace import WIDTH, Trace, Traces, distinct, equal, trace
from ..key import script as wire
from ..key.model import NOT_DRAWN, AnswerKey, Array, DrawnCase, Exercise, Mechanism, MistakeTable, Script
from ..sandbox.observation import Observation, Outcome
from .clearing import clears
from .find import Course
from .pool import processes
from .trials import Trials

# A softmax taken in float32, as in much public code, is 2e-6 off and its gradient 1e-5; mistakes are 1e-3 and more.
TOLERANCE = {"float64": 1e-5, "float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}
GRADIENT_TOLERANCE = 1e-4
HALF = ("float16", "bfloat16")


def draw(
    course: Course, seed: int, *, public: bool = False, jobs: int = 1, progress: Callable[[str], None] = print
) -> AnswerKey:
    """The answer key of `course` for `seed`: the same course, seed and torch give the same key.

    Only a public key says its seed.  `jobs` processes draw at a time; `progress` is told what is drawn.
    """
    names = [solution.name for _, solution in course.solutions]
    exercises = []
    with processes(jobs) as pool:
        drawn = {name: pool.submit(_draw_named, course, name, seed) for name in reversed(names)}  # the longest first
        for name in names:
            progress(name)
            exercises.append(drawn[name].result())
    used = {id for exercise in exercises for ids in exercise.mistakes.ids for id in ids}
    return AnswerKey(
        course.id,
        course.title,
        course.version,
        torch.__version__.split("+")[0],
        seed if public else None,
        tuple(exercises),
        {id: mistake for id, mistake in course.catalogue.items() if id in used},
    )


def _draw_named(course: Course, name: str, seed: int) -> Exercise:
    topic, solution = next((t, s) for t, s in course.solutions if s.name == name)
    return draw_exercise(solution, f"{topic}.py", seed)


def draw_exercise(solution: authoring.Solution, file: str, seed: int, trials: Trials | None = None) -> Exercise:
    cases = draw_cases(solution, seed)
    chosen = [(ids, keywords) for ids, keywords in choices(solution) if ids]
    observed = observe_choices(solution, cases, chosen, trials or Trials())
    return assemble(solution, file, cases, tabulate(solution, cases, observed))


def assemble(solution: authoring.Solution, file: str, cases: tuple[DrawnCase, ...], mistakes: MistakeTable) -> Exercise:
    return Exercise(
        solution.name,
        file,
        solution.points,
        solution.summary,
        solution.hints,
        solution.checks,
        cases,
        tuple(Mechanism(m.name, m.title, tuple(m.mistakes)) for m in solution.mechanisms),
        mistakes,
        solution.axes,
        solution.returns,
        solution.mask_result,
        solution.forbidden,
        solution.twins,
    )


def draw_cases(solution: authoring.Solution, seed: int) -> tuple[DrawnCase, ...]:
    """Inputs and the reference's results for every case, and for the draws of the exercise's domain."""
    cases = []
    drawn = [authoring.Case(id, solution.domain) for id in authoring.DRAWS] if solution.domain else []
    for case in (*solution.cases, *drawn):
        script = case.script(authoring.Sampler(seed, f"{solution.name}/{case.stream}"))
        cases.append(draw_case(solution, case.id, script))
    return tuple(cases)


def draw_case(solution: authoring.Solution, id: str, script: Script) -> DrawnCase:
    """A case of its script, with what the reference gives."""
    encoded, arrays = wire.encode(script, _parameters(solution.reference))
    return expect(solution, id, encoded, arrays, script.free, script.tolerance)


def expect(
    solution: authoring.Solution,
    id: str,
    encoded: Mapping[str, Any],
    arrays: Mapping[str, Array],
    free: tuple[Array | None, ...] = (),
    tolerance: float | None = None,
) -> DrawnCase:
    """A case of a script that is encoded already.  ValueError where the reference does not take it."""
    dtype = encoded["dtype"]
    seen = Trials().run(solution.name, solution.reference, encoded, arrays)
    if seen.outcome is Outcome.REFUSED:
        raise ValueError(f"{solution.name}, case {id}: the reference itself is refused: {seen.refused}")
    exact: tuple[Array, ...] = ()
    if dtype in HALF:
        rounded = {name: _rounded(array, dtype) for name, array in arrays.items()}
        wide = Trials().run(solution.name, solution.reference, {**encoded, "dtype": "float64"}, rounded)
        exact = tuple(r.value for r in wide.results if r.value is not None)
    return DrawnCase(
        id,
        encoded,
        arrays,
        tuple(r.value for r in seen.results if r.value is not None),
        tuple(r.dtype for r in seen.results if r.value is not None),
        {name: g.value if g else None for name, g in (seen.gradients or {}).items()},
        free,
        exact,
        seen.error.type if seen.error else "",
        tolerance or (GRADIENT_TOLERANCE if encoded["upstream"] else TOLERANCE[dtype]),
        dtype == "float64" and encoded["device"] == "cpu",
        seen.operations,
    )


def choices(solution: authoring.Solution, most: int = 2) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """(ids of the mistakes, keywords of `variant`) for every choice with at most `most` mistakes.

    Without mistakes, every combination of right variants.  A single mistake meets each right variant of
    each other mechanism in turn; pairs meet the first right variants only, since their number explodes.
    """
    mechanisms = {m.name: m for m in solution.mechanisms}
    first = {m.name: next(iter(m.right.values())) for m in solution.mechanisms}
    for values in product(*(m.right.values() for m in solution.mechanisms)):
        yield (), dict(zip(mechanisms, values, strict=True))
    for mechanism in mechanisms.values():
        for id, value in _each_writing(mechanism):
            yield (id,), first | {mechanism.name: value}
            for other in solution.mechanisms:
                if other is not mechanism:
                    for right in list(other.right.values())[1:]:
                        yield (id,), first | {mechanism.name: value, other.name: right}
    if most < 2:
        return
    groups = solution.pairs if solution.pairs is not None else (tuple(mechanisms),)
    paired = dict.fromkeys(pair for group in groups for pair in combinations(group, 2))
    for one, two in paired:
        first_of, second_of = (_each_writing(mechanisms[name], in_pairs=True) for name in (one, two))
        for (a, value_a), (b, value_b) in product(first_of, second_of):
            if a != b:
                yield (a, b), first | {one: value_a, two: value_b}


def _each_writing(mechanism: authoring.Mechanism, in_pairs: bool = False) -> Iterator[tuple[str, Any]]:
    for id, value in mechanism.mistakes.items():
        if not isinstance(value, authoring.Writings):
            yield id, value
            continue
        for each in value.values if in_pairs else value.values + value.alone:
            yield id, each


def observe_choices(
    solution: authoring.Solution,
    cases: tuple[DrawnCase, ...],
    chosen: Iterable[tuple[tuple[str, ...], Mapping[str, Any]]],
    trials: Trials,
) -> Iterator[tuple[tuple[str, ...], dict[str, Observation]]]:
    """What is seen of each choice; single mistakes come before their pairs.

    A mistake that no number tells, such as one that shows on another device only, is run with others where it shows.
    """
    right: dict[str, Trace] = {}
    elsewhere: dict[str, set[str]] = {}  # by mistake, the cases in which it shows if no number tells it
    for ids, keywords in chosen:
        also = set().union(*(elsewhere.get(id, set()) for id in ids)) if len(ids) > 1 else set()
        observed = observe_all(solution, solution.variant(**keywords), told_by(ids, cases, also), trials)
        if len(ids) == 1:
            right = right or _traces(solution, cases, observe_all(solution, solution.reference, cases))
            own = _traces(solution, cases, observed)
            shows = {case.id for case in cases if not equal(own[case.id], right[case.id], case.tolerance)}
            if not any(case.tells_pairs for case in cases if case.id in shows):
                elsewhere.setdefault(ids[0], set()).update(shows)
        yield ids, observed


def told_by(ids: tuple[str, ...], cases: tuple[DrawnCase, ...], also: Collection[str] = ()) -> tuple[DrawnCase, ...]:
    """The cases a mistake is run in: a pair only in those whose numbers tell it, and those in `also`."""
    return tuple(case for case in cases if len(ids) < 2 or case.tells_pairs or case.id in also)


def _traces(
    solution: authoring.Solution, cases: tuple[DrawnCase, ...], observed: Mapping[str, Observation]
) -> dict[str, Trace]:
    return {case.id: trace(observed[case.id], case, solution.mask_result) for case in cases if case.id in observed}


def observe_all(
    solution: authoring.Solution, target: Any, cases: tuple[DrawnCase, ...], trials: Trials | None = None
) -> dict[str, Observation]:
    """What every case sees when `target` takes the exercise's place; `trials` may be shared by several targets."""
    trials = trials or Trials()
    return {case.id: observe_case(solution, target, case, trials) for case in cases}


def observe_case(solution: authoring.Solution, target: Any, case: DrawnCase, trials: Trials) -> Observation:
    return trials.run(solution.name, target, case.script, case.arrays)


def tabulate(
    solution: authoring.Solution,
    cases: tuple[DrawnCase, ...],
    observed: Iterable[tuple[tuple[str, ...], Mapping[str, Observation]]],
) -> MistakeTable:
    """Keep of all observed mistakes what differs from the reference and from fewer mistakes."""
    tolerances = tuple(case.tolerance for case in cases)

    def traces(observations: Mapping[str, Observation]) -> Traces:
        found = _traces(solution, cases, observations)
        return tuple(found.get(case.id) for case in cases)

    by_ids: dict[tuple[str, ...], list[Traces]] = {}
    for ids, observations in observed:
        if ids:
            by_ids.setdefault(ids, []).append(traces(observations))
    rows: list[tuple[tuple[str, ...], Traces]] = [((), traces(observe_all(solution, solution.reference, cases)))]
    first: dict[str, Traces] = {}
    for ids, found in by_ids.items():
        if len(ids) == 1:
            first.setdefault(ids[0], found[0])
        else:
            found = [_complete(row, rows[0][1], [first[id] for id in ids], cases) for row in found]
        known = [row for row_ids, row in rows if set(row_ids) <= set(ids)]  # a pair that shows as one alone is that one
        rows += [(ids, row) for row in distinct(known, found, tolerances)]
    names = tuple(dict.fromkeys(t.kind for _, row in rows for t in row if t))
    index = {name: i for i, name in enumerate(names)}
    return MistakeTable(
        tuple(ids for ids, _ in rows),
        names,
        np.array([[index[t.kind] if t else NOT_DRAWN for t in row] for _, row in rows], dtype=np.int32),
        np.array([[t.numbers if t else np.zeros(WIDTH) for t in row] for _, row in rows]).reshape(
            len(rows), len(cases), WIDTH
        ),
        clears(
            rows,
            by_ids,
            [tuple(mechanism.mistakes) for mechanism in solution.mechanisms],
            tolerances,
            [case.tells_pairs for case in cases],
        ),
    )


def _complete(row: Traces, reference: Traces, alone: list[Traces], cases: Sequence[DrawnCase]) -> Traces:
    """What a pair does in cases it was not run in, as far as its mistakes, each taken alone, tell.

    Not in what is drawn from the domain: two mistakes may meet there as nobody foresaw.
    """
    completed = []
    for case, own, right, *singles in zip(cases, row, reference, *alone, strict=True):
        if own is None and right is not None and not case.is_drawn:
            kinds = {single.kind for single in singles if single is not None and single.kind != right.kind}
            if len(kinds) < 2 and not any("not finite" in kind for kind in kinds):
                own = Trace((kinds or {right.kind}).pop(), np.full(WIDTH, np.nan))
        completed.append(own)
    return tuple(completed)


def _parameters(reference: Any) -> list[str]:
    called: Any = vars(reference)["forward"] if inspect.isclass(reference) else reference
    return [name for name in inspect.signature(called).parameters if name != "self"]


def _rounded(array: Array, dtype: str) -> Array:
    if array.dtype != np.float64:
        return array
    return torch.from_numpy(array.copy()).to(getattr(torch, dtype)).double().numpy()
