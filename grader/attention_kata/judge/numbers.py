"""What the numbers of a wrong result show: where it is off first, which hidden key gets weight, and a small picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..key.model import Array, DrawnCase, Exercise
from ..messages.render import render
from ..messages.said import Said, said
from .compare import Finding
from .evidence import Heat
from .information import constant
from .relations import axis_names

MAX = 16  # rows and columns of a picture
DIGITS = 3
SHOWN = 36  # numbers of an array that is shown whole
VISIBLE_WEIGHT = 0.01  # of a hidden key; less is not spoken of


def wrong_places(finding: Finding) -> Array | None:
    """bool, of the result's shape: where a number is off."""
    found, expected = finding.found, finding.expected
    if found is None or expected is None or found.shape != expected.shape:
        return None
    if found.dtype == bool:
        wrong = found != expected
    else:
        wrong = ~np.isclose(found, expected, rtol=1e-4, atol=1e-6)
        if not wrong.any():
            wrong = ~np.isclose(found, expected, rtol=1e-7, atol=1e-9)
    free = finding.facts.get("free")
    return np.asarray(wrong if free is None else wrong & ~free)


def mismatch(finding: Finding, exercise: Exercise) -> Said | None:
    """The first number that is off: where, expected and found, and how many are."""
    found, expected, wrong = finding.found, finding.expected, wrong_places(finding)
    if wrong is None or not wrong.any():
        return None
    assert found is not None
    assert expected is not None
    first = tuple(np.argwhere(wrong)[0])
    return said(
        "first-mismatch",
        result=said("gradient-of", inner=finding.name) if finding.of_gradient else finding.name,
        where=place_of(first, found.shape, exercise),
        expected=_number(expected[first]),
        found=_number(found[first]),
        differing=int(wrong.sum()),
        total=int(wrong.size),
    )


def hidden_attention(finding: Finding, case: DrawnCase) -> Said | None:
    """For weights under a mask: the first query that gives much of its weight to a key it may not see."""
    mask = next((array for name, array in case.arrays.items() if name.endswith("/mask")), None)
    found = finding.found
    if mask is None or mask.dtype != bool or found is None or found.ndim < 2 or finding.name != "weights":
        return None
    try:
        may = np.broadcast_to(mask, found.shape)
    except ValueError:
        return None
    hidden = np.where(may, 0.0, np.nan_to_num(found))
    if hidden.max() < VISIBLE_WEIGHT:
        return None
    place = tuple(np.argwhere(hidden >= hidden.max() / 2)[0])
    *lead, query, key = (int(i) for i in place)
    keys = tuple(str(int(k)) for k in np.flatnonzero(may[place[:-1]]))
    return said(
        "sees-no-key" if not keys else "sees-one-key" if len(keys) == 1 else "sees-keys",
        lead=tuple(said(axis, index=i) for axis, i in zip(("sample", "head"), lead, strict=False)) or None,
        query=query,
        key=key,
        keys=keys or None,
        weight=f"{float(hidden[place]):.2f}",
    )


def whole(finding: Finding) -> Said | None:
    """Found and expected, every number of them: of the prompt's example, where both are public."""
    if finding.found is None or finding.expected is None or finding.of_gradient:
        return None
    return said("example", result=finding.name, given=_in_full(finding.found), answer=_in_full(finding.expected))


def _in_full(array: Array) -> str:
    numbers = array.tolist() if array.dtype.kind != "f" else np.round(array + 0.0, DIGITS).tolist()
    return str(numbers).replace("-0.0", "0.0") if array.dtype.kind == "f" else str(numbers)


def called(case: DrawnCase) -> str:
    """The call of a case, with shapes in the place of tensors: attention(Q (2, 4, 8), K (2, 6, 8), V (2, 6, 7))."""

    def argument(given: Mapping[str, Any]) -> str:
        if "tensor" not in given:
            return str(given["value"])
        array = case.arrays[given["tensor"]]
        shape = given.get("expanded") or [array.shape[axis] for axis in given["axes"]]
        return f"{given['tensor'].split('/', 1)[1]} ({', '.join(map(str, shape))})"

    *before, last = case.script["steps"]
    built = [
        f"{step['target']}({', '.join(map(argument, step['args']))})" for step in before[-1:] if step["op"] == "build"
    ]
    return f"{built[0] if built else last['target'] or 'forward'}({', '.join(map(argument, last['args']))})"


def root_fact(finding: Finding) -> Said | None:
    """What explains all wrong numbers at once: they are all alike, or weights that do not sum to 1."""
    found, expected = finding.found, finding.expected
    if found is None or expected is None or found.dtype == bool or expected.dtype == bool:
        return None
    name = said("gradient-of", inner=finding.name) if finding.of_gradient else finding.name
    if constant(found) and not constant(expected):
        number = "NaN" if np.isnan(found.flat[0]) else "0" if found.flat[0] == 0 else None
        if number is None and found.flat[0] == 1:
            return said("all-one", result=name)
        return said("all-number" if number else "all-equal", result=name, number=number)
    if found.shape == expected.shape and _rows_alike(found) and not _rows_alike(expected):
        return said("rows-alike", result=name)
    if found.shape != expected.shape or not found.ndim or not _are_weights(expected) or not np.isfinite(found).all():
        return None
    with np.errstate(over="ignore"):
        wrong = (np.abs(found.sum(-1) - 1) > VISIBLE_WEIGHT) & (expected.sum(-1) > 0)
    free = finding.facts.get("free")
    if free is not None:
        wrong &= ~free.any(-1)
    return said("sums", result=name) if wrong.any() else None


def _rows_alike(found: Array) -> bool:
    return found.ndim > 1 and found.shape[-2] > 1 and found.size > 0 and bool((found == found[..., :1, :]).all())


def _are_weights(expected: Array) -> bool:
    """Whether every row shares out 1, or nothing."""
    with np.errstate(over="ignore"):  # steep scores are no weights
        sums = expected.sum(-1)
    shared = bool((expected >= 0).all() and (np.isclose(sums, 1) | (sums == 0)).all())
    return shared and bool(sums.any()) and expected.shape[-1] > 1


def place_of(index: tuple[int, ...], shape: tuple[int, ...], exercise: Exercise) -> str | Said:
    """A position by the names of the axes."""
    names = axis_names(shape, exercise.axes)
    parts = [
        f"{name} {int(i)}" if not name.startswith("axis") else f"{name} index {int(i)}"
        for name, i in zip(names, index, strict=True)
    ]
    return ", ".join(parts) or said("only-position")


def _number(value: object) -> str:
    return str(bool(value)) if isinstance(value, bool | np.bool_) else f"{float(value):.4g}"  # type: ignore[arg-type]


def heat_map(finding: Finding, exercise: Exercise) -> Heat | None:
    """The last two axes of `finding` around its first wrong number; None when there is nothing to draw."""
    found, expected = finding.found, finding.expected
    if found is None or expected is None or found.shape != expected.shape or found.ndim < 2 or not found.size:
        return None
    wrong = ~np.isclose(found, expected, rtol=1e-4, atol=1e-6)
    first = np.argwhere(wrong)[0] if wrong.any() else np.zeros(found.ndim, int)
    lead = tuple(int(i) for i in first[:-2])
    names = axis_names(found.shape, exercise.axes)
    row, column = (max(0, int(i) - MAX + 1) for i in first[-2:])  # 0 where the first wrong number is seen from there
    part = slice(row, row + MAX), slice(column, column + MAX)
    return Heat(
        name=render(said("gradient-of", inner=finding.name)) if finding.of_gradient else finding.name,
        rows=names[-2],
        columns=names[-1],
        at=", ".join(f"{name} {i}" for name, i in zip(names, lead, strict=False)),
        expected=_rounded(expected[lead][part]),
        found=_rounded(found[lead][part]),
        first=(row, column),
    )


def _rounded(array: Array) -> list[list[float | None]]:
    return [
        [round(float(number), DIGITS) if np.isfinite(number) else None for number in row]
        for row in array.astype(np.float64)
    ]
