"""Hunting: a legal input on which an answer with full marks is wrong, or a right one is called wrong.

The domain of an exercise draws any input that its prompt allows.  What gets full marks (right answers, mutants of them,
other people's files) is compared with the reference on such inputs.  A mutant that passes all checks and differs is a
hole in the checks; a right answer that differs is treated unjustly; a mutant that never differs is the same function.
"""

from __future__ import annotations

import ast
import copy
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from .. import authoring
from ..intake.submission import read_submission
from ..judge.compare import compare
from ..judge.evidence import VerdictKind
from ..judge.grading import grade
from ..judge.numbers import called
from ..key.model import DRAWN, AnswerKey, Array, Asks, Category, Check, DrawnCase, Exercise
from ..key.script import given
from ..messages.render import render
from ..sandbox.start import any_workers
from .draw import assemble, choices, draw_case, draw_cases, expect, observe_case, tabulate
from .find import Course
from .mutants import Mutant, mutants
from .pool import processes
from .trials import Trials

SECONDS = 10.0  # of a mutant, until it counts as caught: it does not end
CHUNK = 20  # mutants that a process tries at a time
FEW = 60  # numbers of an array that are written out
REFERENCE, TARGET = "the reference", "_target"
MORE = 200  # draws, once a mutant is known to differ, among which the smallest is looked for

ANY = Check("any-input", "any input that the prompt allows", Category.ROBUSTNESS, 0, authoring.DRAWS[:1], Asks.ANY)


@dataclass(frozen=True)
class Hole:
    """`what` differs from the reference in `case`, though it passes every check; `finding` says how."""

    exercise: str
    what: str
    finding: str
    case: str  # the call, as it would be written into a solution


@dataclass
class Counts:
    """Of one exercise: mutants made, caught by a check, never different, and those that slipped through."""

    made: int = 0
    caught: int = 0
    same: int = 0
    right: int = 0  # right answers that stood all draws
    holes: list[Hole] = field(default_factory=list)
    unjust: list[Hole] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        for name in ("made", "caught", "same", "right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.holes += other.holes
        self.unjust += other.unjust


@dataclass(frozen=True)
class Task:
    """Some mutants of an exercise, by their numbers, or (none) its right answers."""

    course: Course
    exercise: str
    numbers: tuple[int, ...]
    draws: int


def hunt(
    course: Course,
    names: Sequence[str],
    *,
    draws: int,
    most: int | None,
    until: float,
    seed: int,
    jobs: int,
    progress: Callable[[int, int], None],
) -> dict[str, Counts]:
    """Try right answers and mutants of the exercises `names`, at most `most`, until the time `until` (monotonic).

    Which mutants come first is left to `seed`; `progress` is told how many of how many are done.
    """
    counts = {name: Counts() for name in names}
    chosen = _shared_out({name: len(_sources(course, name)) for name in names}, most, seed)
    tasks = [Task(course, name, (), draws) for name in names]
    tasks += [
        Task(course, name, numbers[i : i + CHUNK], draws)
        for name, numbers in chosen.items()
        for i in range(0, len(numbers), CHUNK)
    ]
    random.Random(seed).shuffle(tasks)
    total, done = sum(len(task.numbers) for task in tasks), 0
    with processes(jobs) as pool:
        waiting: dict[Future[Counts], Task] = {}
        while tasks or waiting:
            while tasks and len(waiting) < 2 * jobs and time.monotonic() < until:
                task = tasks.pop()
                waiting[pool.submit(_carry_out, task)] = task
            if time.monotonic() >= until:
                tasks.clear()
            for finished in wait(waiting, return_when=FIRST_COMPLETED).done:
                task = waiting.pop(finished)
                counts[task.exercise].add(finished.result())
                done += len(task.numbers)
                progress(done, total)
    return counts


def _shared_out(available: Mapping[str, int], most: int | None, seed: int) -> dict[str, tuple[int, ...]]:
    """The numbers of the mutants to try: all, or `most` of them, as many of every exercise."""
    chosen = {}
    for name, count in available.items():
        numbers = list(range(count))
        random.Random(f"{seed} {name}").shuffle(numbers)
        share = count if most is None else -(-most // len(available))
        chosen[name] = tuple(numbers[:share])
    return chosen


def _carry_out(task: Task) -> Counts:
    _, solution = next((t, s) for t, s in task.course.solutions if s.name == task.exercise)
    counts = Counts()
    if not task.numbers:
        _try_right_answers(solution, task.draws, counts)
        return counts
    judge = _Judge(solution)
    made = _sources(task.course, task.exercise)
    for number in task.numbers:
        counts.made += 1
        style, mutant = made[number]
        target = _target(task.course, task.exercise, mutant)
        if target is None or judge.catches(target):
            counts.caught += 1
            continue
        difference = judge.difference(target, task.draws)
        if difference is None:
            counts.same += 1
        else:
            counts.holes.append(Hole(task.exercise, f"{style}, {mutant}", *difference))
    return counts


def _try_right_answers(solution: authoring.Solution, draws: int, counts: Counts) -> None:
    judge = _Judge(solution)
    targets = dict(solution.also_right)
    for i, (ids, keywords) in enumerate(choices(solution, most=1)):
        if not ids:
            targets[f"right variant {i + 1}"] = solution.variant(**keywords)
    for name, target in targets.items():
        difference = judge.difference(target, draws)
        if difference is None:
            counts.right += 1
        else:
            counts.unjust.append(Hole(solution.name, name, *difference))


class _Judge:
    """Compares targets with the reference of one exercise."""

    def __init__(self, solution: authoring.Solution):
        self.solution = solution
        self.exercise = _without_mistakes(solution, solution.checks, draw_cases(solution, 0))
        self.drawn: dict[int, DrawnCase] = {}

    def catches(self, target: Any) -> bool:
        """Whether a check fails, or the target does not end."""
        seen, trials = {}, Trials()
        for check in self.exercise.checks:
            for id in check.cases:
                if id not in seen:
                    try:
                        with _seconds(SECONDS):
                            seen[id] = observe_case(self.solution, target, self.exercise.case(id), trials)
                    except TimeoutError:
                        return True
            if compare(check, self.exercise, seen) is not None:
                return True
        return False

    def difference(self, target: Any, draws: int) -> tuple[str, str] | None:
        """(how, the call) of the smallest draw in which the target differs; None where it never does in `draws`."""
        first = next((i for i in range(draws) if self._differs(target, self._draw(i))), None)
        if first is None:
            return None
        found = [self._draw(i) for i in range(first, first + MORE) if self._differs(target, self._draw(i))]
        case = min(found, key=_size)
        case = self._simplified(target, case)
        return self._differs(target, case), written(case)

    def _draw(self, number: int) -> DrawnCase:
        if number not in self.drawn:
            self.drawn[number] = drawn(self.solution, number, ANY.cases[0])
        return self.drawn[number]

    def _differs(self, target: Any, case: DrawnCase) -> str:
        """How the target differs from what is expected, "" where it does not."""
        exercise = _without_mistakes(self.solution, (ANY,), (case,))
        try:
            with _seconds(SECONDS):
                seen = observe_case(self.solution, target, case, Trials())
        except TimeoutError:
            return "it does not end"
        finding = compare(ANY, exercise, {case.id: seen})
        if finding is None:
            return ""
        return f"{finding.kind} {finding.name}".strip() + (f": {seen.error.message[:100]}" if seen.error else "")

    def _simplified(self, target: Any, case: DrawnCase) -> DrawnCase:
        """The same case with less in it, as long as the target differs: calls before, gradients, layout, digits."""
        for simpler in SIMPLER:
            script, arrays = simpler(case)
            try:
                tried = expect(self.solution, case.id, script, arrays, case.free, case.tolerance)
            except ValueError:
                continue
            if self._differs(target, tried):
                case = tried
        return case


def drawn(solution: authoring.Solution, number: int, id: str) -> DrawnCase:
    """Draw `number` of the exercise's domain, with what is expected."""
    assert solution.domain is not None
    sampler = authoring.Sampler(number, f"{solution.name}/hunt")
    return draw_case(solution, id, solution.domain(sampler))


def _without_mistakes(solution: authoring.Solution, checks: Iterable[Check], cases: tuple[DrawnCase, ...]) -> Exercise:
    return replace(assemble(solution, "", cases, tabulate(solution, (), ())), checks=tuple(checks))


def _size(case: DrawnCase) -> int:
    return sum(array.size for array in case.arrays.values()) + 10 * len(case.script["steps"])


# ---------------------------------------------------------------------- making a case smaller

Simpler = tuple[dict[str, Any], dict[str, Array]]


def _asking(**changes: Any) -> Callable[[DrawnCase], Simpler]:
    return lambda case: ({**case.script, **changes}, dict(case.arrays))


def _without_calls_before(case: DrawnCase) -> Simpler:
    *before, last = case.script["steps"]
    built = [step for step in before if step["op"] == "build"][-1:]
    return {**case.script, "steps": [*built, last]}, dict(case.arrays)


def _plainly_laid_out(case: DrawnCase) -> Simpler:
    arrays, steps = dict(case.arrays), []
    for step in case.script["steps"]:
        args = []
        for argument in step["args"]:
            if name := argument.get("tensor"):
                arrays[name] = np.ascontiguousarray(given(arrays[name], argument))
                argument = {"tensor": name, "axes": list(range(arrays[name].ndim))}
            args.append(argument)
        steps.append({**step, "args": args})
    return {**case.script, "steps": steps}, arrays


def _to_digits(digits: int) -> Callable[[DrawnCase], Simpler]:
    def rounded(array: Array) -> Array:
        return np.round(array, digits) if array.dtype == np.float64 else array

    return lambda case: (dict(case.script), {name: rounded(array) for name, array in case.arrays.items()})


SIMPLER: Sequence[Callable[[DrawnCase], Simpler]] = (
    _asking(upstream=[]),
    _asking(purity=False),
    _asking(dtype="float64"),
    _without_calls_before,
    _plainly_laid_out,
    _to_digits(2),
    _to_digits(1),
    _to_digits(0),
)


def written(case: DrawnCase) -> str:
    """The call of a case, and its numbers where they are few."""
    lines = [called(case)]
    for argument in case.script["steps"][-1]["args"]:
        if name := argument.get("tensor"):
            array = given(case.arrays[name], argument)
            if array.size <= FEW:
                numbers = np.array2string(
                    array, separator=", ", max_line_width=10_000, formatter={"float": "{:g}".format}
                )
                lines.append(f"{name.split('/', 1)[1]} = {' '.join(numbers.split())}")
    asks = [word for word in ("purity", "upstream") if case.script[word]]
    calls = sum(step["op"] != "build" for step in case.script["steps"])
    if case.script["dtype"] != "float64":
        asks.append(case.script["dtype"])
    if calls > 1:
        asks.append("after another call")
    return "\n".join(lines) + (f"\n({', '.join(asks)})" if asks else "")


# ---------------------------------------------------------------------- mutants


@cache
def _sources(course: Course, name: str) -> tuple[tuple[str, Mutant], ...]:
    """(what is changed, how) of every mutant of the reference and of the right answers, by what they are called."""
    topic, solution = next((t, s) for t, s in course.solutions if s.name == name)
    module = course.modules[topic]
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    found: list[tuple[str, Mutant]] = []
    for style, expression in _styles(tree, solution):
        parts = _reached(tree, expression)
        own = ast.Module([*parts, ast.Assign([ast.Name(TARGET, ast.Store())], expression)], [])
        own = ast.fix_missing_locations(copy.deepcopy(own))
        found += [(style, mutant) for mutant in mutants(own, own.body)]
    return tuple(found)


def _styles(tree: ast.Module, solution: authoring.Solution) -> Iterator[tuple[str, ast.expr]]:
    """The reference, and every right answer that stands as one entry of a dict in `also_right`."""
    yield REFERENCE, ast.Name(solution.reference.__name__, ast.Load())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Solution":
            keywords = {keyword.arg: keyword.value for keyword in node.keywords}
            named = node.args[0] if node.args else keywords.get("name")
            if isinstance(named, ast.Constant) and named.value == solution.name and "also_right" in keywords:
                yield from _entries(keywords["also_right"])


def _entries(also_right: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """name, expression of the right answer.  In a call, such as f({name: x}), the answer is f({name: x})[name]."""
    for node in ast.walk(also_right):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    if node is also_right:
                        yield key.value, value
                    else:
                        yield key.value, ast.Subscript(_only(also_right, key.value), key, ast.Load())


def _only(also_right: ast.expr, name: str) -> ast.expr:
    """The expression with no other entry than `name` in its dicts: what others reach is not this one's."""

    class Less(ast.NodeTransformer):
        def visit_Dict(self, node: ast.Dict) -> ast.Dict:
            kept = [
                (key, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == name
            ]
            return ast.Dict([key for key, _ in kept], [value for _, value in kept])

    return cast(ast.expr, Less().visit(copy.deepcopy(also_right)))


def _reached(tree: ast.Module, expression: ast.expr) -> list[ast.stmt]:
    """The functions and classes of a module that an expression needs, in their order."""
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    needed: set[str] = set()
    left: list[ast.AST] = [expression]
    while left:
        for node in ast.walk(left.pop()):
            if isinstance(node, ast.Name) and node.id in defined and node.id not in needed:
                needed.add(node.id)
                left.append(defined[node.id])
    return [node for name, node in defined.items() if name in needed]


def _target(course: Course, name: str, mutant: Mutant) -> Any:
    """What a mutant defines; None where it cannot even be defined."""
    topic, _ = next((t, s) for t, s in course.solutions if s.name == name)
    namespace = dict(vars(course.modules[topic]))
    try:
        with _seconds(SECONDS):
            exec(mutant.code(), namespace)  # our own code, slightly changed
    except Exception:  # whatever it is, an answer like this gets no marks
        return None
    return namespace[TARGET]


@contextmanager
def _seconds(most: float) -> Iterator[None]:
    """TimeoutError after so many seconds in this, the main, thread; also where what runs takes it for its own."""
    over = False

    def end(*_: object) -> None:
        nonlocal over
        over = True
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if over:
        raise TimeoutError


# ---------------------------------------------------------------------- other people's answers


def hunt_answers(course: Course, folder: Path, names: Sequence[str], draws: int) -> Iterator[Hole]:
    """Answers in a folder, or in its folders, that pass every check and differ in a draw.  They run confined."""
    submissions = [folder] if any(folder.glob("*.py")) else sorted(path for path in folder.iterdir() if path.is_dir())
    exercises, wide = [], []
    for topic, solution in course.solutions:
        if solution.name in names and solution.domain is not None:
            fixed = draw_cases(solution, 0)
            exercises.append(assemble(solution, f"{topic}.py", fixed, tabulate(solution, fixed, ())))
            cases = tuple(drawn(solution, number, f"{DRAWN}{number}") for number in range(draws))
            each = tuple(replace(ANY, id=case.id, cases=(case.id,)) for case in cases)
            drawn_only = assemble(solution, f"{topic}.py", cases, tabulate(solution, cases, ()))
            wide.append(replace(drawn_only, checks=each))
    with any_workers() as workers:
        for path in submissions:
            submission = read_submission(path, tuple(dict.fromkeys(e.file for e in exercises)))
            key = AnswerKey(course.id, course.title, course.version, torch.__version__, 0, tuple(exercises), {})
            passing = {
                graded.exercise.name
                for graded in grade(submission, key, exercises, workers=workers).exercises
                if graded.points == graded.exercise.points
            }
            tried = [exercise for exercise in wide if exercise.name in passing]
            if not tried:
                continue
            found = grade(submission, replace(key, exercises=tuple(wide)), tried, workers=workers)
            for graded in found.exercises:
                wrong = [v for v in graded.verdicts if v.verdict is not VerdictKind.PASSED]
                if wrong:
                    smallest = min((graded.exercise.case(v.check.id) for v in wrong), key=_size)
                    verdict = next(v for v in wrong if v.check.id == smallest.id)
                    said = render(verdict.message) if verdict.message else ""
                    yield Hole(graded.exercise.name, path.name, said, written(smallest))
