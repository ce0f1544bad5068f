"""What the numbers of a wrong result show: where it is off first, and which hidden key gets weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..key.model import Array, DrawnCase, Exercise
from .compare import Finding
from .relations import axis_names


def mismatch(finding: Finding, exercise: Exercise) -> str:
    """The first number that is off: where, expected and found, and how many are."""
    found, expected = finding.found, finding.expected
    if found is None or expected is None or found.shape != expected.shape:
        return ""
    if found.dtype == bool:
        wrong = found != expected
    else:
        wrong = ~np.isclose(found, expected, rtol=1e-4, atol=1e-6)
        if not wrong.any():
            wrong = ~np.isclose(found, expected, rtol=1e-7, atol=1e-9)
    free = finding.facts.get("free")
    if free is not None:
        wrong &= ~free
    if not wrong.any():
        return ""
    first = tuple(np.argwhere(wrong)[0])
    place = place_of(first, found.shape, exercise)
    numbers = f"expected {_number(expected[first])}, found {_number(found[first])}"
    return f"{finding.name} at {place}: {numbers} ({int(wrong.sum())} of {wrong.size} differ)"


def hidden_attention(finding: Finding, case: DrawnCase) -> str:
    """For weights under a mask: the first query that gives much of its weight to a key it may not see."""
    mask = next((array for name, array in case.arrays.items() if name.endswith("/mask")), None)
    found = finding.found
    if mask is None or mask.dtype != bool or found is None or found.ndim < 2 or finding.name != "weights":
        return ""
    try:
        may = np.broadcast_to(mask, found.shape)
    except ValueError:
        return ""
    hidden = np.where(may, 0.0, np.nan_to_num(found))
    if hidden.max() < 0.01:
        return ""
    place = tuple(np.argwhere(hidden >= hidden.max() / 2)[0])
    weight = float(hidden[place])
    *lead, query, key = (int(i) for i in place)
    keys = np.flatnonzero(may[place[:-1]])
    axes = ("sample", "head")[: len(lead)]
    where = f"in {', '.join(f'{axis} {i}' for axis, i in zip(axes, lead, strict=False))}, " if lead else ""
    see = f"may see key{'s' if len(keys) > 1 else ''} {_listed(keys)}" if len(keys) else "may see no key"
    return f"{where}query {query} {see}; it gave key {key} a weight of {weight:.2f} (expected 0)"


def _listed(keys: Array) -> str:
    names = [str(int(k)) for k in keys]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def place_of(index: tuple[int, ...], shape: tuple[int, ...], exercise: Exercise) -> str:
    """A position in words, by the names of the axes."""
    names = axis_names(shape, exercise.axes)
    parts = [
        f"{name} {int(i)}" if not name.startswith("axis") else f"{name} index {int(i)}"
        for name, i in zip(names, index, strict=True)
    ]
    return ", ".join(parts) or "the only position"


def _number(value: object) -> str:
    return str(bool(value)) if isinstance(value, bool | np.bool_) else f"{float(value):.4g}"  # type: ignore[arg-type]


MAX = 16  # rows and columns
DIGITS = 3


def heat_map(finding: Finding, exercise: Exercise) -> dict[str, Any] | None:
    """The last two axes of `finding` around its first wrong number, as JSON; None when there is nothing to draw.

    `rows` and `columns` name the axes, `at` says which slice of the others it is, `first` the row and column that
    the numbers begin with where that is not the first; a number that is not finite is None.
    """
    found, expected = finding.found, finding.expected
    if found is None or expected is None or found.shape != expected.shape or found.ndim < 2 or not found.size:
        return None
    wrong = ~np.isclose(found, expected, rtol=1e-4, atol=1e-6)
    first = np.argwhere(wrong)[0] if wrong.any() else np.zeros(found.ndim, int)
    lead = tuple(int(i) for i in first[:-2])
    names = axis_names(found.shape, exercise.axes)
    start = [max(0, int(i) - MAX + 1) for i in first[-2:]]  # 0 where the first wrong number is seen from there
    part = tuple(slice(i, i + MAX) for i in start)
    return {
        "name": finding.name,
        "rows": names[-2],
        "columns": names[-1],
        "at": ", ".join(f"{name} {i}" for name, i in zip(names, lead, strict=False)),
        "expected": _rounded(expected[lead][part]),
        "found": _rounded(found[lead][part]),
        **({"first": start} if any(start) else {}),
    }


def _rounded(array: Array) -> list[list[float | None]]:
    return [
        [round(float(number), DIGITS) if np.isfinite(number) else None for number in row]
        for row in array.astype(np.float64)
    ]
