"""A class in one pass: every student goes by once, and nothing of their evidence is kept but what the page shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..gradebook.grades import Grades
from ..gradebook.records import Result
from ..gradebook.standing import Terms, standings
from .glance import Glance
from .heats import Heats
from .items import Items
from .mistakes import Mistakes, Ranked
from .people import People
from .rows import Rows


@dataclass
class Facts:
    """Under what conditions the class was graded: each fact with the number of results it holds for."""

    keys: Counter[str] = field(default_factory=Counter)
    versions: Counter[str] = field(default_factory=Counter)
    torch: Counter[str] = field(default_factory=Counter)
    graders: Counter[str] = field(default_factory=Counter)
    limits: Counter[str] = field(default_factory=Counter)
    layers: dict[str, Counter[str]] = field(default_factory=dict)
    seconds: float = 0.0
    first: datetime | None = None
    last: datetime | None = None

    def add(self, result: Result) -> None:
        self.keys[result.identity.key] += 1
        self.versions[result.identity.version] += 1
        self.torch[result.torch] += 1
        self.graders[result.grader] += 1
        self.limits[_limits(result.identity.limits)] += 1
        for layer, state in result.evidence.isolation.items():
            self.layers.setdefault(layer, Counter())[str(state)] += 1
        self.seconds += result.seconds
        self.first = min(self.first or result.graded_at, result.graded_at)
        self.last = max(self.last or result.graded_at, result.graded_at)


def _limits(text: str) -> str:
    try:
        limits = json.loads(text)
    except ValueError:
        return text
    if not isinstance(limits, dict):
        return text
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in limits.items()
    )


@dataclass(frozen=True)
class ClassReport:
    """Everything the page shows."""

    title: str
    course: str
    terms: Terms
    facts: Facts
    glance: Glance
    items: Items
    mistakes: Sequence[Ranked]
    heats: Heats
    rows: Rows
    people: People


def gather(grades: Grades, tick: Callable[[], Any] = lambda: None) -> ClassReport:
    """Read the whole class once.  `tick` is called after each student."""
    facts, glance, items, mistakes, heats, people = Facts(), Glance(), Items(), Mistakes(), Heats(), People()
    rows = Rows(sum(1 for _ in grades.students()))
    for index, row in enumerate(standings(grades)):
        glance.add(row)
        mistakes.add(index, row)
        heats.add(row)
        items.add(row)
        rows.add(index, row)
        people.add(index, row)
        if row.result is not None:
            facts.add(row.result)
        tick()
    _tell_faults(grades, people)
    key = grades.key()
    course = grades.setting("course") or {}
    return ClassReport(
        key.title if key else "A course",
        f"{course.get('id', '?')} {course.get('version', '')}".strip(),
        Terms.of(grades),
        facts,
        glance,
        items,
        mistakes.ranked(key.catalogue if key else {}),
        heats,
        rows,
        people,
    )


def _tell_faults(grades: Grades, people: People) -> None:
    """Why somebody could not be graded stands in the result, which a standing leaves out."""
    group = people.ungradable
    group.people = [replace(p, note=_fault(grades, p.id)) for p in group.people]


def _fault(grades: Grades, student: str) -> str:
    return next((result.fault for result in grades.results(student)), "")
