"""The few numbers that describe a class, exact where they can be."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

EXACT = 10**6  # points are kept as whole millionths, so that sums are exact and a spread of zero is zero


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
    """The point-biserial correlation of passing a check with the rest of the points."""

    outcomes: array[int] = field(default_factory=lambda: array("b"))  # 1 for each student who passes
    rests: array[int] = field(default_factory=lambda: array("q"))

    def add(self, passed: bool, rest: float) -> None:
        """One student; `rest` is the total without this check."""
        self.outcomes.append(passed)
        self.rests.append(round(rest * EXACT))

    @property
    def count(self) -> int:
        return len(self.outcomes)

    @property
    def passed(self) -> int:
        return sum(self.outcomes)

    @property
    def value(self) -> float | None:
        """-1 to 1; None where everybody passes or fails, or where the rest is the same for everybody."""
        if len(set(self.outcomes)) < 2 or len(set(self.rests)) < 2:
            return None
        return round(float(np.corrcoef(self.outcomes, self.rests)[0, 1]), 9) + 0.0  # no relation is 0, and never -0
