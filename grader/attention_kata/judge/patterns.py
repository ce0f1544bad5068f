"""What the wrong cases of an exercise have in common, and the right ones have not; where in a result the wrong numbers
lie.  Said where no known mistake explains them: each sentence is about what was run, and holds in all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..key.model import Asks, Category, Check, DrawnCase, Exercise
from ..messages.said import Said, said
from ..sandbox.observation import Observation, Outcome
from .compare import Finding, FindingKind, compare
from .numbers import wrong_places
from .relations import axis_names

FEWEST = 2  # cases on either side
QUERIES = ("Q", "q", "query", "scores", "x")  # arguments whose last axis but one is that of the queries
KEYS = ("K", "k", "key")
NUMBERS = (FindingKind.VALUES, FindingKind.NOT_FINITE)
PARTS = {"B": "sample", "H": "head", "T": "token"}


@dataclass(frozen=True)
class Facts:
    """Of the inputs of a case: its queries and keys (0 where it has none), and whether there is a mask."""

    queries: int
    keys: int
    masked: bool


def across(exercise: Exercise, observations: Mapping[str, Observation]) -> Said | None:
    """What tells the cases whose numbers are wrong from those that are right; None where anything else is wrong too."""
    right: list[Facts] = []
    wrong: list[Facts] = []
    for case in exercise.cases:
        if not case.fingerprinted or case.raises or case.script["purity"] or case.script["operations"]:
            continue
        seen = observations.get(case.id)
        if seen is None or seen.outcome is not Outcome.RETURNED:
            return None
        check = Check("values", "", Category.VALUES, 0, (case.id,), Asks.VALUES)
        finding = compare(check, exercise, observations)
        if finding is not None and finding.kind not in NUMBERS:
            return None
        (right if finding is None else wrong).append(facts(case))
    return _mask(right, wrong) or _same_length(right, wrong) or _length(right, wrong)


def facts(case: DrawnCase) -> Facts:
    sizes: dict[str, tuple[int, ...]] = {}
    for argument in (argument for step in case.script["steps"][-1:] for argument in step["args"]):
        if name := argument.get("tensor"):
            shape = argument.get("expanded") or [case.arrays[name].shape[axis] for axis in argument["axes"]]
            sizes[name.split("/", 1)[1]] = tuple(shape)
    queries = next((sizes[name][-2] for name in QUERIES if len(sizes.get(name, ())) > 1), 0)
    keys = next((sizes[name][-2] for name in KEYS if len(sizes.get(name, ())) > 1), 0)
    if len(sizes.get("scores", ())) > 1:
        keys = sizes["scores"][-1]
    return Facts(queries, keys, "mask" in sizes)


def _splits(right: list[Facts], wrong: list[Facts], holds: Callable[[Facts], bool]) -> bool:
    """Whether every case in which something holds is right, and most of the others are wrong."""
    with_it, without = sum(map(holds, right)), sum(not holds(case) for case in right)
    return not any(map(holds, wrong)) and with_it >= FEWEST and len(wrong) >= max(FEWEST, without)


def _mask(right: list[Facts], wrong: list[Facts]) -> Said | None:
    if _splits(right, wrong, lambda case: not case.masked):
        return said("right-without-mask")
    return said("right-with-mask") if _splits(right, wrong, lambda case: case.masked) else None


def _same_length(right: list[Facts], wrong: list[Facts]) -> Said | None:
    if not all(case.queries and case.keys for case in (*right, *wrong)):
        return None
    if _splits(right, wrong, lambda case: case.queries == case.keys):
        return said("right-same-length")
    return said("right-other-length") if _splits(right, wrong, lambda case: case.queries != case.keys) else None


def _length(right: list[Facts], wrong: list[Facts]) -> Said | None:
    """Right up to a size, wrong from another on."""
    for size in ("keys", "queries"):
        fine, off = (sorted(getattr(case, size) for case in cases) for cases in (right, wrong))
        if min(len(fine), len(off)) >= FEWEST and 0 < fine[0] <= fine[-1] < off[0]:
            return said(f"right-up-to-{size}", most=fine[-1], least=off[0])
    return None


def along(finding: Finding, exercise: Exercise) -> Said | None:
    """Where in a result the wrong numbers lie: from the second sample, head or token on, or in the last one only."""
    wrong = wrong_places(finding)
    if wrong is None or wrong.ndim < 2 or not wrong.any():
        return None
    names = axis_names(wrong.shape, exercise.axes)
    for axis, name in enumerate(names[:-1]):
        if name not in PARTS or wrong.shape[axis] < FEWEST:
            continue
        each = np.asarray(wrong.any(axis=tuple(other for other in range(wrong.ndim) if other != axis)))
        if not each[0] and each[1:].all():
            return said(f"first-right-{PARTS[name]}", result=finding.name)
        if each[0] and not each[1:].any():
            return said(f"first-wrong-{PARTS[name]}", result=finding.name)
        if each[-1] and not each[:-1].any():
            return said(f"last-wrong-{PARTS[name]}", result=finding.name)
    return None
