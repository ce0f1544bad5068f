"""The cells of an exercise in an nbgrader assignment: their ids, and which points each of them carries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..judge.evidence import CheckEvidence

SEEN = ("shape", "values")  # categories of the check cell; the rest belongs to the hidden one
PARTS = ("check", "hidden")


def grade_id(exercise: str, part: str = "") -> str:
    """nbgrader's id of the answer cell, or of another `part`: prompt, check, hidden."""
    return f"{exercise}-{part}" if part else exercise


def part_of(category: str) -> str:
    """Which of the two graded cells a check of this category belongs to."""
    return "check" if category in SEEN else "hidden"


def share(points: Iterable[tuple[str, float]], part: str) -> float:
    """What a cell has of `points`, each with the category of its check."""
    return round(sum(number for category, number in points if part_of(category) == part), 6)


def points(checks: Sequence[CheckEvidence], part: str) -> float:
    """What the cell gives: one finite number between 0 and its most.  ValueError when there is no such number."""
    got = share(((check.category, check.points) for check in checks), part)
    if not math.isfinite(got):
        raise ValueError(f"{got} points")
    return min(max(got, 0.0), share(((check.category, check.max_points) for check in checks), part))
