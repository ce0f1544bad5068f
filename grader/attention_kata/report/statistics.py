"""The few numbers that describe a class, exact where they can be."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

EXACT = 10**6  # points are kept as whole millionths, so that sums are exact and a spread of zero is zero


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of `ordered` (ascending, not empty) lies; between two values, in proportion."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def bins(values: Sequence[float], top: float, count: int) -> list[int]:
    """How many of `values` lie in each of `count` equal steps from 0 to `top`; `top` belongs to the last step."""
    edges = [top * i / count for i in range(1, count)]
    found = [0] * count
    for value in values:
        found[bisect_right(edges, value)] += 1
    return found


@dataclass
class Share:
    """How much of what could be had was had: points of an exercise or a category, over students."""

    count: int = 0
    full: int = 0
    shares: Fraction = field(default_factory=Fraction)

    def add(self, points: float, most: float) -> None:
        """One student's `points` of `most`; where there was nothing to have, nothing is counted."""
        if most > 0:
            self.count += 1
            self.full += points >= most - 1e-9
            self.shares += Fraction(round(points * EXACT), round(most * EXACT))

    @property
    def mean(self) -> float:
        return float(self.shares / self.count) if self.count else 0.0

    @property
    def full_share(self) -> float:
        return self.full / self.count if self.count else 0.0


@dataclass
class Discrimination:
    """The point-biserial correlation of passing a check with the rest of the points, one student at a time."""

    count: int = 0
    passed: int = 0
    rest: int = 0
    rest_squared: int = 0
    rest_of_passed: int = 0

    def add(self, passed: bool, rest: float) -> None:
        """`rest` is the student's total without this check."""
        exact = round(rest * EXACT)
        self.count += 1
        self.rest += exact
        self.rest_squared += exact * exact
        if passed:
            self.passed += 1
            self.rest_of_passed += exact

    @property
    def value(self) -> float | None:
        """-1 to 1; None where everybody passes or fails, or where the rest is the same for everybody."""
        n = self.count
        spread = n * self.rest_squared - self.rest**2
        mixed = self.passed * (n - self.passed)
        if not spread or not mixed:
            return None
        together = n * self.rest_of_passed - self.passed * self.rest
        return together / (sqrt(mixed) * sqrt(spread))
