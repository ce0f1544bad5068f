"""How a wrong array relates to the right one, in words: swapped axes, a constant factor, a reversed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from ..key.model import Array
from ..messages.said import Said, said
from .trace import close

NEAR = 1e-6
MAX_AXES = 4


def relation(found: Array, expected: Array, axes: Mapping[str, int]) -> Said | None:
    """One sentence, or None when no relation holds.  `axes` gives the size of each named axis."""
    if found.dtype == bool or expected.dtype == bool:
        return _of_masks(found, expected) if found.dtype == expected.dtype else None
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


def shape_relation(found: Sequence[int], expected: Sequence[int], axes: Mapping[str, int]) -> Said | None:
    """What is wrong with a shape, by axis name; None when nothing more can be said."""
    found, expected = tuple(found), tuple(expected)
    names = axis_names(expected, axes)
    if len(found) == len(expected):
        wrong = [i for i, (f, e) in enumerate(zip(found, expected, strict=True)) if f != e]
        if sorted(found) == sorted(expected) and len(wrong) == 2:
            a, b = wrong
            sizes = {"size": found[a], "expected_size": expected[a]}
            return said("shape-swapped", index=a, axis=names[a], other_axis=names[b], **sizes)
        if sorted(found) == sorted(expected):
            return said("shape-reordered", axes=", ".join(names))
        if len(wrong) == 1:
            i = wrong[0]
            other = {size: name for name, size in axes.items()}.get(found[i])
            held = said("axis-of-size", axis=other, size=found[i]) if other else found[i]
            return said("shape-axis", index=i, held=held, axis=names[i], expected_size=expected[i])
        return None
    if [n for n in found if n != 1] == [n for n in expected if n != 1]:
        return said("shape-ones")
    if len(found) < len(expected):
        missing = [name for name, size in zip(names, expected, strict=True) if size not in found]
        return said("shape-missing", axis=missing[0]) if len(missing) == 1 else None
    return None


def _near(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(close(a, b, NEAR, NEAR).all())


def _permuted(found: Array, expected: Array, axes: Mapping[str, int]) -> Said | None:
    if not 2 <= found.ndim == expected.ndim <= MAX_AXES:
        return None
    for order in permutations(range(found.ndim)):
        if order != tuple(range(found.ndim)) and _near(found.transpose(order), expected):
            names = axis_names(expected.shape, axes)
            return said("axes-exchanged", axes=tuple(names[i] for i, o in enumerate(order) if i != o))
    return None


def _averaged(found: Array, expected: Array, axes: Mapping[str, int]) -> Said | None:
    if found.ndim != expected.ndim - 1:
        return None
    for axis, name in enumerate(axis_names(expected.shape, axes)):
        if expected.shape[axis] == 1:
            continue  # nothing to average: only the shape differs
        if _near(found, expected.mean(axis)):
            return said("averaged", axis=name)
        if _near(found, expected.sum(axis)):
            return said("summed", axis=name)
    return None


def _reshaped(found: Array, expected: Array) -> Said | None:
    same = found.shape != expected.shape and found.size == expected.size and _near(found.ravel(), expected.ravel())
    return said("reshaped") if same else None


def _factor(found: Array, expected: Array) -> Said | None:
    if found.shape != expected.shape or not expected.any():
        return None
    factor = float((found * expected).sum() / (expected * expected).sum())
    if _near(found, factor * expected) and abs(factor) > NEAR:
        return said("factor", number=f"{factor:.4g}")
    offset = float((found - expected).mean())
    if _near(found, expected + offset):
        return said("offset", number=f"{offset:.4g}")
    return None


def _reversed(found: Array, expected: Array, axes: Mapping[str, int]) -> Said | None:
    if found.shape != expected.shape:
        return None
    for axis, name in enumerate(axis_names(expected.shape, axes)):
        if _near(np.flip(found, axis), expected):
            return said("reversed", axis=name)
    return None


def _of_masks(found: Array, expected: Array) -> Said | None:
    if found.shape != expected.shape:
        return None
    if np.array_equal(~found, expected):
        return said("mask-inverted")
    if not (found & ~expected).any():
        return said("mask-false", number=int((expected & ~found).sum()))
    if not (expected & ~found).any():
        return said("mask-true", number=int((found & ~expected).sum()))
    return None
