"""The misconceptions of the class, ranked by how many students hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..gradebook.standing import Standing
from ..judge.recognise import Confidence
from ..key.model import Mistake

MAX_MAKERS = 300  # students listed for one mistake


@dataclass(frozen=True)
class Place:
    exercise: str
    where: str


@dataclass(frozen=True)
class Maker:
    """Who makes a mistake, and where: one place for each exercise."""

    index: int
    student: str
    name: str
    places: tuple[Place, ...]
    sure: bool


@dataclass
class Made:
    """One mistake.  `count` counts every student once; `unsure` those for whom it is the likely cause only."""

    count: int = 0
    unsure: int = 0
    exercises: Counter[str] = field(default_factory=Counter)
    makers: list[Maker] = field(default_factory=list)


@dataclass(frozen=True)
class Ranked:
    id: str
    message: str
    question: str
    made: Made

    @property
    def left_out(self) -> int:
        return self.made.count - len(self.made.makers)


@dataclass
class Mistakes:
    """Built one student at a time."""

    made: dict[str, Made] = field(default_factory=dict)

    def add(self, index: int, row: Standing) -> None:
        places: dict[str, dict[str, Place]] = {}
        sure: set[str] = set()
        for exercise in row.exercises:
            for check in exercise.checks:
                for id in check.mistakes:
                    place = Place(exercise.id, exercise.place(check))
                    places.setdefault(id, {}).setdefault(exercise.id, place)
                    if check.confidence is Confidence.EXACT:
                        sure.add(id)
        for id, found in places.items():
            made = self.made.setdefault(id, Made())
            made.count += 1
            made.unsure += id not in sure
            made.exercises.update(found.keys())
            if len(made.makers) < MAX_MAKERS:
                made.makers.append(Maker(index, row.id, row.name, tuple(found.values()), id in sure))

    def ranked(self, catalogue: Mapping[str, Mistake]) -> list[Ranked]:
        """The most frequent first.  A mistake of a course that was changed since keeps its id as its words."""
        ordered = sorted(self.made.items(), key=lambda item: (-item[1].count, item[0]))
        return [
            Ranked(id, known.message, known.question, made)
            if (known := catalogue.get(id))
            else Ranked(id, id, "", made)
            for id, made in ordered
        ]
