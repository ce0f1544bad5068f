"""How much the numbers of a result say: whether they could be met by chance, or by any answer that goes wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..key.model import Array, DrawnCase
from ..sandbox.observation import Observation, Outcome
from .trace import close, normal_form

FEW = 4  # distinct numbers: as many at a tolerance of 1e-5 come together for one reason only
FEWEST_BITS = 16  # of a pattern of two values, such as a mask: with fewer, some pair of mistakes fits by chance
DIGITS = 6  # in which numbers are told apart


@dataclass(frozen=True)
class Information:
    """What is wrong in a result: how many different numbers it holds there, and the positions of its patterns.

    `wrong` tells whether any number is: a gradient that is missing, say, is wrong without one.
    """

    numbers: int = 0
    positions: int = 0
    wrong: bool = False


def information(seen: Observation, case: DrawnCase, mask_result: str = "") -> Information:
    """How much a result says where it is wrong; nothing where it is the same in every row or column."""
    if seen.outcome is not Outcome.RETURNED or not case.fingerprinted:
        return Information()
    numbers, positions, any_wrong = 0, 0, False
    for found, expected, free in _arrays(seen, case, mask_result):
        wrong = np.ones(found.shape, dtype=bool)
        if expected is not None and found.shape == expected.shape:
            wrong = ~close(found, expected, case.tolerance, case.tolerance)
        if free is not None and free.shape == found.shape:
            wrong &= ~free | ~np.isfinite(found)
        any_wrong = any_wrong or bool(wrong.any())
        if wrong.any() and not _degenerate(found):
            numbers += _distinct(found[wrong])
            positions += _pattern(found)
    return Information(numbers, positions, any_wrong)


def enough(each: Iterable[Information]) -> bool:
    """Whether what several cases say can be met in one way only.  The same numbers may come back in each of them."""
    each = list(each)
    return max((one.numbers for one in each), default=0) >= FEW or sum(one.positions for one in each) >= FEWEST_BITS


def constant(found: Array) -> bool:
    """Whether a result holds one number only, over and over."""
    return found.size > 1 and bool((found == found.flat[0]).all() or np.isnan(found).all())


def _arrays(seen: Observation, case: DrawnCase, mask_result: str) -> list[tuple[Array, Array | None, Array | None]]:
    """(found, expected, free) of all results and gradients that have numbers."""
    found: list[tuple[Array, Array | None, Array | None]] = []
    for i, result in enumerate(seen.results):
        value = normal_form(result, mask_result).value
        expected = case.results[i] if i < len(case.results) else None
        if value is not None:
            if mask_result and expected is not None and value.size == expected.size:
                expected = expected.reshape(value.shape)
            found.append((value, expected, case.free[i] if i < len(case.free) else None))
    for name, gradient in (seen.gradients or {}).items():
        if gradient is not None and gradient.value is not None:
            found.append((gradient.value, case.gradients.get(name), None))
    return found


def _degenerate(found: Array) -> bool:
    """Constant, or the same in every row, or in every column: what is left when something has gone missing."""
    codes = np.nan_to_num(found, nan=1e300) if found.dtype.kind == "f" else found
    return any(
        codes.shape[axis] > 1 and bool((codes == codes.take([0], axis)).all()) for axis in range(-min(2, found.ndim), 0)
    )


def _distinct(numbers: Array) -> int:
    """Finite numbers other than 0 and 1 that differ from each other."""
    if numbers.dtype.kind != "f":
        return 0
    numbers = numbers[np.isfinite(numbers) & (numbers != 0) & (numbers != 1)]
    if not numbers.size:
        return 0
    mantissas, exponents = np.frexp(numbers)
    return len(np.unique(np.stack([np.round(mantissas, DIGITS), exponents]), axis=1).T)


def _pattern(found: Array) -> int:
    """Positions of an array of few values, or of one that is finite here and there."""
    if found.dtype.kind == "f" and np.isfinite(found).all() and len(np.unique(found)) > 3:
        return 0
    return int(found.size)
