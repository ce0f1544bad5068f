"""Right or wrong: a check's observations against what the answer key expects.

In this order: did it run, how many results, shape, dtype, finiteness, values.  Nothing is broadcast,
and a NaN never slips through a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from ..key.model import Array, Asks, Check, DrawnCase, Exercise
from ..sandbox.observation import Observation, Outcome, Seen
from ..source import forbidden as policy
from .trace import DEVICE_MISMATCH, close, normal_form

EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7}  # torch.finfo(dtype).eps
META_ONLY = re.compile(r"meta|on same device")  # reading a number out; a 0-d tensor of the CPU, fine on a GPU


class FindingKind(StrEnum):
    """What can be wrong in a check; the first four are outcomes of a case."""

    RAISED = "raised"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    COUNT = "count"
    TYPE = "type"
    LAYOUT = "layout"
    SHAPE = "shape"
    DTYPE = "dtype"
    NOT_FINITE = "non-finite"
    VALUES = "values"
    NO_GRADIENT = "no-gradient"
    NOT_RAISED = "not-raised"
    CHANGED = "changed"
    REPEATS = "repeats"
    INSTANCES = "instances"
    DEVICE = "device"
    OPERATIONS = "operations"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class Finding:
    """The first thing that is wrong in a check."""

    kind: FindingKind
    case: str
    name: str = ""  # of the result or function, or of what a gradient is of
    found: Array | None = None
    expected: Array | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    of_gradient: bool = False


def compare(check: Check, exercise: Exercise, observations: Mapping[str, Observation]) -> Finding | None:
    """The first finding in the check's cases, or None when it passes.  LookupError if a case was not run."""
    for id in check.cases:
        case, seen = exercise.case(id), observations[id]
        if seen.outcome in (Outcome.TIMEOUT, Outcome.CRASHED):
            return Finding(FindingKind(seen.outcome), id)
        finding = _ASKS[check.asks](check, exercise, case, seen)
        if finding:
            return finding
    if check.asks is Asks.OPERATIONS:
        return _same_operations(check, observations)
    return _never_works(check, exercise, observations) if check.asks in (Asks.DEVICE, Asks.RAISES) else None


def _never_works(check: Check, exercise: Exercise, observations: Mapping[str, Observation]) -> Finding | None:
    """What always fails does not fail on purpose: some ordinary case must give results of the right shape."""
    ordinary = [case for case in exercise.cases if case.fingerprinted and not case.raises and case.id in observations]
    findings = [_shape(check, exercise, case, observations[case.id]) for case in ordinary]
    return None if None in findings or not findings else findings[0]


def _ran(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    if seen.outcome is Outcome.RETURNED or (
        seen.results and seen.error and seen.error.stage in ("backward", "second call")
    ):
        return None
    return Finding(FindingKind(seen.outcome), case.id)


def _shape(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    return _ran(check, exercise, case, seen) or next(_each(_wrong_shape, exercise, case, seen), None)


def _values(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    return _ran(check, exercise, case, seen) or next(_each(_wrong_values, exercise, case, seen), None)


def _each(
    judge: Callable[[DrawnCase, int, str, Seen, Array], Finding | None],
    exercise: Exercise,
    case: DrawnCase,
    seen: Observation,
) -> Iterator[Finding]:
    """Findings of `judge` over the results, each in its normal form."""
    if len(seen.results) != len(case.results):
        shapes = [list(r.shape) for r in seen.results if r.type == "Tensor"]
        found = [r.type for r in seen.results]
        yield Finding(
            FindingKind.COUNT, case.id, facts={"found": found, "shapes": shapes, "expected": len(case.results)}
        )
        return
    for i, (result, expected) in enumerate(zip(seen.results, case.results, strict=True)):
        name = exercise.returns[i] if i < len(exercise.returns) else f"result {i}"
        if exercise.mask_result:
            result = normal_form(result, exercise.mask_result)
            expected = _normal_expected(expected, exercise.mask_result)
        finding = _not_comparable(case, name, result) or judge(case, i, name, result, expected)
        if finding:
            yield finding


def _normal_expected(expected: Array, mask_result: str) -> Array:
    value = normal_form(Seen("Tensor", "bool", expected.shape, "cpu", "strided", expected), mask_result).value
    assert value is not None
    return value


def _not_comparable(case: DrawnCase, name: str, result: Seen) -> Finding | None:
    if result.type != "Tensor":
        return Finding(FindingKind.TYPE, case.id, name, facts={"found": result.type})
    if result.device != case.script["device"]:
        return Finding(
            FindingKind.DEVICE, case.id, name, facts={"found": result.device, "expected": case.script["device"]}
        )
    if result.layout != "strided":
        return Finding(FindingKind.LAYOUT, case.id, name, facts={"found": result.layout})
    return None


def _wrong_shape(case: DrawnCase, i: int, name: str, result: Seen, expected: Array) -> Finding | None:
    if result.shape != expected.shape:
        return Finding(FindingKind.SHAPE, case.id, name, result.value, expected, {"found": result.shape})
    return None


def _wrong_values(case: DrawnCase, i: int, name: str, result: Seen, expected: Array) -> Finding | None:
    finding = _wrong_shape(case, i, name, result, expected)
    if finding:
        return finding
    dtype = "bool" if expected.dtype == bool else case.dtypes[i]
    if result.dtype != dtype or result.value is None:
        return Finding(
            FindingKind.DTYPE, case.id, name, result.value, expected, {"found": result.dtype, "expected": dtype}
        )
    free = case.free[i] if i < len(case.free) else None
    return wrong_numbers(case, name, result.value, expected, free)


def wrong_numbers(
    case: DrawnCase, name: str, found: Array, expected: Array, free: Array | None = None
) -> Finding | None:
    """Compare arrays of one shape: finite wherever finite is expected, then near wherever not free."""
    if found.dtype == bool:
        return None if np.array_equal(found, expected) else Finding(FindingKind.VALUES, case.id, name, found, expected)
    right = near(found, expected, case)
    if right.all():
        return None
    if not np.isfinite(found[np.isfinite(expected)]).all():
        return Finding(FindingKind.NOT_FINITE, case.id, name, found, expected)
    if not right.all(where=True if free is None else ~free):
        return Finding(FindingKind.VALUES, case.id, name, found, expected, {"free": free})
    return None


def near(found: Array, expected: Array, case: DrawnCase) -> Array:
    """Elementwise: within the case's tolerance, relative and absolute (float32: absolute is a fifth of it)."""
    relative = case.tolerance
    absolute = relative / 5 if case.script["dtype"] == "float32" else relative
    return close(found, expected, relative, absolute)


def _gradient(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    finding = _ran(check, exercise, case, seen) or next(_each(_leads_nowhere, exercise, case, seen), None)
    if finding:
        return finding
    if seen.outcome is not Outcome.RETURNED:
        return Finding(FindingKind(seen.outcome), case.id)
    for name, expected in case.gradients.items():
        if expected is None:
            continue
        gradient = (seen.gradients or {}).get(name)
        if gradient is None or gradient.value is None or gradient.value.shape != expected.shape:
            return Finding(FindingKind.NO_GRADIENT, case.id, name)
        finding = wrong_numbers(case, name, gradient.value.astype(np.float64), expected)
        if finding:
            return replace(finding, of_gradient=True)
    return None


def _leads_nowhere(case: DrawnCase, i: int, name: str, result: Seen, expected: Array) -> Finding | None:
    """No gradient could be asked for: the result has another shape, or is complex."""
    if result.dtype.startswith("complex"):
        return Finding(FindingKind.DTYPE, case.id, name, facts={"found": result.dtype, "expected": case.dtypes[i]})
    return _wrong_shape(case, i, name, result, expected)


def _raises(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    if seen.error is not None and check.expects in seen.error.bases:
        return None
    if seen.outcome is Outcome.RETURNED:
        return Finding(FindingKind.NOT_RAISED, case.id, facts={"expected": check.expects})
    return Finding(FindingKind(seen.outcome), case.id, facts={"expected": check.expects})


def _purity(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    finding = _shape(check, exercise, case, seen)  # doing nothing is no merit
    if finding:
        return finding
    if seen.outcome is not Outcome.RETURNED:
        return Finding(FindingKind(seen.outcome), case.id)
    if seen.changed:
        return Finding(FindingKind.CHANGED, case.id)
    if not seen.repeats:
        return Finding(FindingKind.REPEATS, case.id)
    return None if seen.instances else Finding(FindingKind.INSTANCES, case.id)


def _half(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    """Half precision: no further from the truth than three times a plain answer in the same dtype."""
    return _ran(check, exercise, case, seen) or next(_each(_wrong_half, exercise, case, seen), None)


def _wrong_half(case: DrawnCase, i: int, name: str, result: Seen, expected: Array) -> Finding | None:
    finding = _wrong_shape(case, i, name, result, expected)
    if finding:
        return finding
    if result.dtype != case.dtypes[i] or result.value is None:
        return Finding(FindingKind.DTYPE, case.id, name, facts={"found": result.dtype, "expected": case.dtypes[i]})
    if not np.isfinite(result.value).all():
        return Finding(FindingKind.NOT_FINITE, case.id, name, result.value, expected)
    exact = case.exact[i]
    free = case.free[i] if i < len(case.free) else None
    judged = np.ones(exact.shape, dtype=bool) if free is None else ~free
    error, plain = np.abs(result.value - exact)[judged], np.abs(expected - exact)[judged]
    rounding = EPSILON[case.script["dtype"]] * np.abs(exact).max(initial=0)
    if case.is_drawn:  # rows may be long, and may have no open key, none of them
        rounding = max(4 * rounding, EPSILON[case.script["dtype"]])
    if error.max(initial=0) > 3 * plain.max(initial=0) + rounding:
        return Finding(FindingKind.VALUES, case.id, name, result.value, exact)
    return None


def _device(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    """Only a genuine mismatch counts: code that reads numbers out of a tensor cannot run on meta."""
    if seen.error is not None and DEVICE_MISMATCH.search(seen.error.message):
        return Finding(FindingKind.DEVICE, case.id)
    if seen.outcome is Outcome.REFUSED or (seen.error is not None and not META_ONLY.search(seen.error.message)):
        return Finding(FindingKind(seen.outcome), case.id)  # it does not run on the CPU either
    for i, result in enumerate(seen.results):
        name = exercise.returns[i] if i < len(exercise.returns) else ""
        if result.type != "Tensor":
            return Finding(FindingKind.TYPE, case.id, name, facts={"found": result.type})
        if result.device != "meta":
            return Finding(FindingKind.DEVICE, case.id, name)
    if seen.error is None and len(seen.results) != len(exercise.returns):
        return Finding(FindingKind.COUNT, case.id, facts={"found": [], "shapes": [], "expected": len(exercise.returns)})
    return None


def _forbidden(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    name = forbidden_name(exercise, seen)
    return Finding(FindingKind.FORBIDDEN, case.id, name) if name else _shape(check, exercise, case, seen)


def forbidden_name(exercise: Exercise, seen: Observation) -> str:
    """The forbidden function that was called, or ""."""
    return next(filter(None, (policy.forbidden_name(called, exercise.forbidden) for called in seen.functions)), "")


def _same_operations(check: Check, observations: Mapping[str, Observation]) -> Finding | None:
    counts = [observations[id].operations for id in check.cases]
    if len(set(counts)) == 1:
        return None
    return Finding(FindingKind.OPERATIONS, check.cases[-1], facts={"counts": counts})


def _any(check: Check, exercise: Exercise, case: DrawnCase, seen: Observation) -> Finding | None:
    """All that the script of a case asks for."""
    if case.raises:
        return _raises(replace(check, expects=case.raises), exercise, case, seen)
    asks = [_half if case.script["dtype"] in EPSILON else _values]
    asks += [_gradient] if case.script["upstream"] else []
    asks += [_purity] if case.script["purity"] else []
    return next(filter(None, (each(check, exercise, case, seen) for each in asks)), None)


_ASKS = {
    Asks.SHAPE: _shape,
    Asks.VALUES: _values,
    Asks.GRADIENT: _gradient,
    Asks.RAISES: _raises,
    Asks.PURITY: _purity,
    Asks.HALF: _half,
    Asks.DEVICE: _device,
    Asks.OPERATIONS: _shape,
    Asks.FORBIDDEN: _forbidden,
    Asks.EXAMPLE: _values,
    Asks.ANY: _any,
}
