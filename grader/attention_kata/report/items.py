"""Item analysis: what each check tells the instructor about the class, and about itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..gradebook.standing import Standing
from ..judge.evidence import VerdictKind
from .statistics import Discrimination


@dataclass
class Item:
    """One check, over everybody for whom it was judged."""

    exercise: str
    check: str
    title: str
    category: str
    max_points: float
    discrimination: Discrimination = field(default_factory=Discrimination)

    @property
    def count(self) -> int:
        return self.discrimination.count

    @property
    def passed(self) -> int:
        return self.discrimination.passed

    @property
    def remark(self) -> str:
        """What is worth a look; "" otherwise."""
        if self.count and not self.passed:
            return "nobody passes"
        if self.passed == self.count:
            return "everybody passes"
        value = self.discrimination.value
        if value is not None and value < 0:
            return "passed more often by students with fewer points elsewhere"
        return ""


@dataclass
class Items:
    """Built one student at a time, from what the grader judged: decisions by hand are not the checks' merit."""

    items: dict[tuple[str, str], Item] = field(default_factory=dict)

    def add(self, row: Standing) -> None:
        total = sum(check.points for exercise in row.exercises for check in exercise.checks)
        for exercise in row.exercises:
            for check in exercise.checks:
                name = (exercise.id, check.id)
                item = self.items.get(name)
                if item is None:
                    item = self.items[name] = Item(*name, check.title, check.category, check.max_points)
                if check.verdict is not VerdictKind.UNGRADABLE:
                    item.discrimination.add(check.passed, total - check.points)
