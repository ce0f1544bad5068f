"""Grading again what the database holds: what would change, and the change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from ..key.model import AnswerKey
from .batch import Watch, Work, each
from .enrol import set_scope
from .grades import Grades
from .records import Result


@dataclass(frozen=True)
class Change:
    """What grading again makes of one student's submission: points by exercise, and faults."""

    student: str
    before: Mapping[str, float]
    after: Mapping[str, float]
    was_ungradable: bool
    fault: str

    @classmethod
    def between(cls, before: Result, after: Result) -> Change:
        return cls(before.student, _points(before), _points(after), bool(before.fault), after.fault)

    @property
    def exercises(self) -> list[str]:
        """The exercises whose points change, with by how much."""
        return [
            f"{name} {self.after.get(name, 0) - self.before.get(name, 0):+g}"
            for name in dict.fromkeys([*self.before, *self.after])
            if self.before.get(name) != self.after.get(name)
        ]

    @property
    def is_one(self) -> bool:
        return bool(self.fault) or self.was_ungradable or bool(self.exercises)


@dataclass(frozen=True)
class Plan:
    """Who is graded again: (student, hash of the files) of each; and what the instructor should know of the others."""

    wanted: Sequence[tuple[str, str]]
    notes: Sequence[str]


def plan(grades: Grades, students: Collection[str], *, in_part: bool) -> Plan:
    """Of `students`, or of everybody where none is named, those who have a grade.

    `in_part`: only some exercises are graded again, which make no grade of somebody who could not be graded at all.
    """
    results = [(r.student, r.identity.source, r.fault) for r in grades.results()]
    chosen = [result for result in results if not students or result[0] in students]
    without = sorted(set(students) - {student for student, _, _ in chosen})
    ungraded = [student for student, _, fault in chosen if fault and in_part]
    notes = (
        *(f"{student!r} has no grade, so there is nothing to grade again." for student in without),
        *(f"{student!r} could not be graded yet: leave out --exercise to do it now." for student in ungraded),
    )
    return Plan([(student, source) for student, source, _ in chosen if student not in ungraded], notes)


def grade_again(
    grades: Grades,
    work: Work,
    wanted: Sequence[tuple[str, str]],
    *,
    in_part: bool,
    commit: bool,
    jobs: int,
    watch: Watch,
    tick: Callable[[], None],
) -> list[Change]:
    """What each would become, in the order of their ids.

    With `commit`, new results stay in the database, pending: the evidence of a class is too much to hold.
    """
    if commit:
        grades.keep_key(work.key)
    changes: list[Change] = []
    lock = threading.Lock()

    def one(item: tuple[str, str]) -> None:
        student, source = item
        watch.begin(student)
        start = time.monotonic()
        before = next(grades.results(student))
        submission = grades.submission(source, student)
        graded = work.grade(submission, student)
        identity = work.identity(submission)
        after = work.result(graded, student, identity, before.handed_in, time.monotonic() - start)
        if in_part and not graded.fault:
            after = merged(before, after)
        change = Change.between(before, after)
        if commit and not after.fault and (change.is_one or identity != before.identity):
            grades.add(after, submission, pending=True)
        watch.count(done=1)
        watch.end(student)
        with lock:
            changes.append(change)

    each(wanted, one, jobs, tick, work.workers.stop)
    return sorted(changes, key=lambda change: change.student)


def merged(before: Result, after: Result) -> Result:
    """The old evidence, with the exercises that were graded again in their places."""
    new = {each.id: structs.replace(each, key=after.identity.key) for each in after.evidence.exercises}
    exercises = (*(new.pop(old.id, old) for old in before.evidence.exercises), *new.values())
    points, most = sum(each.points for each in exercises), sum(each.max_points for each in exercises)
    evidence = structs.replace(after.evidence, exercises=exercises, points=points, max_points=most)
    return replace(after, points=points, max_points=most, evidence=evidence)


def keep(grades: Grades, key: AnswerKey, scope: Sequence[str] | None) -> None:
    """All at once.  What could not be graded stays as it is; `scope` is given when the whole class was graded."""
    with grades.transaction():
        if scope is not None:
            grades.use_key(key)
            set_scope(grades, key, scope)
        grades.settle(keep=True)


def _points(result: Result) -> dict[str, float]:
    return {exercise.id: exercise.points for exercise in result.evidence.exercises}
