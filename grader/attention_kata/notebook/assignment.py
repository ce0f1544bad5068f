"""The cells of an exercise in an nbgrader assignment: their ids, and which points each of them carries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

SEEN = ("shape", "values")  # categories of the check cell; the rest belongs to the hidden one
PARTS = ("check", "hidden")


def grade_id(exercise: str, part: str = "") -> str:
    """nbgrader's id of the answer cell, or of another `part`: prompt, check, hidden."""
    return f"{exercise}-{part}" if part else exercise


def part_of(category: str) -> str:
    """Which of the two graded cells a check of this category belongs to."""
    return "check" if category in SEEN else "hidden"


def most_points(checks: Iterable[Mapping[str, Any]], part: str) -> float:
    """What the cell can give.  `checks` are objects with category and max_points."""
    return round(sum(float(c["max_points"]) for c in checks if part_of(c["category"]) == part), 6)


def points(checks: Iterable[Mapping[str, Any]], part: str) -> float:
    """What the cell gives: one finite number between 0 and its most.  ValueError when there is no such number."""
    own = [check for check in checks if part_of(check["category"]) == part]
    got = round(sum(float(check["points"]) for check in own), 6)
    if not math.isfinite(got):
        raise ValueError(f"{got} points")
    return min(max(got, 0.0), most_points(own, part))
