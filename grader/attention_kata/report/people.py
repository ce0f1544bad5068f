"""Who needs a look before grades go out: missing, not on the roster, unreadable, not graded, with several attempts."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..gradebook.records import Status
from ..gradebook.standing import Standing
from ..messages.render import INSTRUCTOR, render
from ..text import on_one_line
from .format import moment

MAX_LISTED = 500  # of each kind


@dataclass(frozen=True)
class Person:
    index: int
    id: str
    name: str
    note: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class Group:
    count: int = 0
    people: list[Person] = field(default_factory=list)

    def add(self, index: int, row: Standing, note: str = "", notes: tuple[str, ...] = ()) -> None:
        self.count += 1
        if len(self.people) < MAX_LISTED:
            self.people.append(Person(index, row.id, row.name, note, notes))

    @property
    def left_out(self) -> int:
        return self.count - len(self.people)


@dataclass
class People:
    """Built one student at a time."""

    missing: Group = field(default_factory=Group)
    unknown: Group = field(default_factory=Group)
    unreadable: Group = field(default_factory=Group)
    ungradable: Group = field(default_factory=Group)
    waiting: Group = field(default_factory=Group)
    repeated: Group = field(default_factory=Group)

    def add(self, index: int, row: Standing) -> None:
        if row.status is Status.MISSING:
            self.missing.add(index, row)
        if row.status is Status.UNREADABLE:
            self.unreadable.add(index, row, render(row.student.problem, INSTRUCTOR))
        if row.status is Status.UNGRADABLE:
            self.ungradable.add(index, row)
        if row.status is Status.WAITING:
            self.waiting.add(index, row)
        if not row.on_roster:
            self.unknown.add(index, row)
        if len(row.attempts) > 1:
            self.repeated.add(index, row, notes=_attempts(row))


def _attempts(row: Standing) -> tuple[str, ...]:
    """Each attempt in a line, oldest first."""
    lines = []
    for number, attempt in enumerate(row.attempts, 1):
        late = {True: ", late", False: ", in time", None: ""}[attempt.late]
        counts = " (this one counts)" if number == len(row.attempts) else ""
        when = f", {moment(attempt.handed_in)}" if attempt.handed_in else ""
        lines.append(f"{on_one_line(attempt.label, 100)}: {on_one_line(attempt.origin, 300)}{when}{late}{counts}")
    return tuple(lines)
