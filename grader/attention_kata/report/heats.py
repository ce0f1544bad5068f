"""The heat maps worth looking at: one for each way of going wrong in an exercise, however many went that way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..gradebook.standing import Standing
from ..judge.evidence import Heat
from ..text import clipped, on_one_line

MAX_HEATS = 120  # embedded in the page
MAX_WAYS = 2000  # remembered while the class goes by


@dataclass
class Way:
    """One way of going wrong: who was the first, and how many went it."""

    exercise: str
    check: str
    title: str
    message: str
    student: str
    name: str
    heat: Heat
    students: int = 1


@dataclass
class Heats:
    """Built one student at a time."""

    ways: dict[tuple[str, str], Way] = field(default_factory=dict)
    failures: int = 0  # that come with a heat map

    def add(self, row: Standing) -> None:
        own: dict[tuple[str, str], Way] = {}
        for exercise in row.exercises:
            for check in exercise.checks:
                heat = check.details.heat
                if not heat:
                    continue
                self.failures += 1
                way = (exercise.id, " + ".join(check.mistakes) or check.message)
                if way not in own or (heat.name == "weights" and own[way].heat.name != "weights"):
                    own[way] = Way(exercise.id, check.id, check.title, check.message, row.id, row.name, heat)
        for name, found in own.items():
            if name in self.ways:
                self.ways[name].students += 1
            elif len(self.ways) < MAX_WAYS:
                self.ways[name] = found

    def chosen(self) -> list[Way]:
        """Those of most students, in the order of the exercises."""
        most = sorted(self.ways.values(), key=lambda way: -way.students)[:MAX_HEATS]
        order = {exercise: i for i, exercise in enumerate(dict.fromkeys(way.exercise for way in self.ways.values()))}
        return sorted(most, key=lambda way: (order[way.exercise], -way.students))


def as_json(way: Way) -> dict[str, Any]:
    """For the page's script, which sets it as text and never as HTML."""
    heat = way.heat
    return {
        "exercise": on_one_line(way.exercise),
        "check": on_one_line(way.title),
        "message": clipped(way.message),
        "student": on_one_line(way.name),
        "others": way.students - 1,
        **{name: on_one_line(getattr(heat, name)) for name in ("name", "rows", "columns", "at")},
        "first": heat.first or (0, 0),
        "expected": heat.expected,
        "found": heat.found,
    }
