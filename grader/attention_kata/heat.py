"""A small picture of a wrong result: expected and found side by side, as rows of numbers that any report can draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compare import Finding
from .model import Array, Exercise
from .relations import axis_names

MOST = 16  # rows and columns
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
    start = [max(0, int(i) - MOST + 1) for i in first[-2:]]  # 0 where the first wrong number is seen from there
    part = tuple(slice(i, i + MOST) for i in start)
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
