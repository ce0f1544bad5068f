"""How a wrong array relates to the right one, in words: swapped axes, a constant factor, a reversed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from ..key.model import Array
from .trace import close

NEAR = 1e-6
MAX_AXES = 4


def relation(found: Array, expected: Array, axes: Mapping[str, int]) -> str:
    """One sentence, or "" when no relation holds.  `axes` gives the size of each named axis."""
    if found.dtype == bool or expected.dtype == bool:
        return _of_masks(found, expected, axes) if found.dtype == expected.dtype else ""
    with np.errstate(all="ignore"):  # steep inputs overflow in sums; then the relation does not hold
        return (
            _permuted(found, expected, axes)
            or _averaged(found, expected, axes)
            or _reshaped(found, expected)
            or _factor(found, expected)
            or _reversed(found, expected, axes)
        )


def axis_names(shape: Sequence[int], axes: Mapping[str, int]) -> list[str]:
    """The name of each axis by its size, sizes being distinct; "axis I" where no name fits."""
    by_size = {size: name for name, size in reversed(list(axes.items()))}
    return [by_size.get(size, f"axis {i}") for i, size in enumerate(shape)]


def shape_in_words(shape: Sequence[int], axes: Mapping[str, int]) -> str:
    """(2, 4, 6) -> "(B 2, T 4, S 6)"."""
    by_size = {size: name for name, size in reversed(list(axes.items()))}
    return (
        "("
        + ", ".join(f"{by_size[n]} {n}" if n in by_size else str(n) for n in shape)
        + ("," if len(shape) == 1 else "")
        + ")"
    )


def shape_relation(found: Sequence[int], expected: Sequence[int], axes: Mapping[str, int]) -> str:
    """What is wrong with a shape, by axis name; "" when nothing more can be said."""
    found, expected = tuple(found), tuple(expected)
    names = axis_names(expected, axes)
    if len(found) == len(expected):
        wrong = [i for i, (f, e) in enumerate(zip(found, expected, strict=True)) if f != e]
        if sorted(found) == sorted(expected) and len(wrong) == 2:
            a, b = wrong
            holds = f"axis {a} holds {names[b]} = {found[a]} where {names[a]} = {expected[a]} was expected"
            return f"{holds}: {names[a]} and {names[b]} are swapped"
        if sorted(found) == sorted(expected):
            return f"the axes are right but in another order: expected {', '.join(names)}"
        if len(wrong) == 1:
            i = wrong[0]
            other = {size: name for name, size in axes.items()}.get(found[i])
            holds = f"{other} = {found[i]}" if other else f"{found[i]}"
            return f"axis {i} holds {holds} where {names[i]} = {expected[i]} was expected"
        return ""
    if [n for n in found if n != 1] == [n for n in expected if n != 1]:
        return "only axes of size 1 differ"
    if len(found) < len(expected):
        missing = [name for name, size in zip(names, expected, strict=True) if size not in found]
        return f"the axis {missing[0]} is missing" if len(missing) == 1 else ""
    return ""


def _near(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(close(a, b, NEAR, NEAR).all())


def _permuted(found: Array, expected: Array, axes: Mapping[str, int]) -> str:
    if not 2 <= found.ndim == expected.ndim <= MAX_AXES:
        return ""
    for order in permutations(range(found.ndim)):
        if order != tuple(range(found.ndim)) and _near(found.transpose(order), expected):
            names = axis_names(expected.shape, axes)
            moved = [names[i] for i, o in enumerate(order) if i != o]
            return f"The numbers are right, but {' and '.join(moved)} are in each other's place."
    return ""


def _averaged(found: Array, expected: Array, axes: Mapping[str, int]) -> str:
    if found.ndim != expected.ndim - 1:
        return ""
    for axis, name in enumerate(axis_names(expected.shape, axes)):
        if expected.shape[axis] == 1:
            continue  # nothing to average: only the shape differs
        if _near(found, expected.mean(axis)):
            return f"This is the right result averaged over {name}."
        if _near(found, expected.sum(axis)):
            return f"This is the right result summed over {name}."
    return ""


def _reshaped(found: Array, expected: Array) -> str:
    if found.shape != expected.shape and found.size == expected.size and _near(found.ravel(), expected.ravel()):
        return "The numbers are right and in the right order; only the shape differs."
    return ""


def _factor(found: Array, expected: Array) -> str:
    if found.shape != expected.shape or not expected.any():
        return ""
    factor = float((found * expected).sum() / (expected * expected).sum())
    if _near(found, factor * expected) and abs(factor) > NEAR:
        return f"Every number is {factor:.4g} times what it should be."
    shift = float((found - expected).mean())
    if _near(found, expected + shift):
        return f"Every number is off by the same {shift:.4g}."
    return ""


def _reversed(found: Array, expected: Array, axes: Mapping[str, int]) -> str:
    if found.shape != expected.shape:
        return ""
    for axis, name in enumerate(axis_names(expected.shape, axes)):
        if _near(np.flip(found, axis), expected):
            return f"The numbers are right, but in reverse order along {name}."
    return ""


def _of_masks(found: Array, expected: Array, axes: Mapping[str, int]) -> str:
    if found.shape != expected.shape:
        return ""
    if np.array_equal(~found, expected):
        return "True and False are exchanged everywhere."
    if not (found & ~expected).any():
        missing = int((expected & ~found).sum())
        return f"{missing} positions that should be True are False; none is True that should not be."
    if not (expected & ~found).any():
        extra = int((found & ~expected).sum())
        return f"{extra} positions that should be False are True; none is False that should not be."
    return ""
