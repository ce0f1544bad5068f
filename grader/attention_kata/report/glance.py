"""The class at a glance: how many stand where, how points are spread, what each exercise and category gave."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ..gradebook.records import Status
from ..gradebook.standing import Standing
from .statistics import Share

STEPS = 20  # of the histogram
QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass
class ExerciseShare:
    file: str
    max_points: float
    share: Share = field(default_factory=Share)


@dataclass
class Glance:
    """Built one student at a time.  `points` are final grades: whoever has none is not in them, least of all as 0."""

    statuses: Counter[Status] = field(default_factory=Counter)
    points: list[float] = field(default_factory=list)
    max_points: float = 0.0
    exercises: dict[str, ExerciseShare] = field(default_factory=dict)
    categories: dict[str, Share] = field(default_factory=dict)

    def add(self, row: Standing) -> None:
        self.statuses[row.status] += 1
        self.max_points = max(self.max_points, row.max_points)
        if row.points is not None:
            self.points.append(row.points)
        by_category: dict[str, tuple[float, float]] = {}
        for exercise in row.exercises:
            most = exercise.max_points
            known = self.exercises.setdefault(exercise.id, ExerciseShare(exercise.file, most))
            known.share.add(row.exercise_points(exercise), most)
            for check in exercise.checks:
                had, could = by_category.get(check.category, (0.0, 0.0))
                had += row.check_points(exercise.id, check)
                by_category[check.category] = (had, could + check.max_points)
        for category, (had, could) in by_category.items():
            self.categories.setdefault(category, Share()).add(had, could)

    @property
    def students(self) -> int:
        return self.statuses.total()


@dataclass(frozen=True)
class Bar:
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Spread:
    """Points of the class, ready to be drawn: bars from 0 to `top`, and the quartiles."""

    bars: tuple[Bar, ...]
    top: float
    count: int
    mean: float
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float

    @property
    def tallest(self) -> int:
        return max(bar.count for bar in self.bars)


def spread(glance: Glance) -> Spread | None:
    """None where nobody has points yet."""
    if not glance.points:
        return None
    points = np.array(glance.points)
    top = max(glance.max_points, float(points.max())) or 1.0  # a decision by hand may give more than there is
    counts, edges = np.histogram(points.clip(0.0), STEPS, (0.0, top))
    bars = map(Bar, edges[:-1].tolist(), edges[1:].tolist(), counts.tolist())
    return Spread(tuple(bars), top, len(points), float(points.mean()), *np.quantile(points, QUARTILES).tolist())
