"""`kata regrade`: what grading again would change, and the change."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from msgspec import structs

from ..course.find import find_course
from .keys import fresh_key
from .options import choose, course_option, db_option, key_option, need_students, running_options
from .workers import workers_for

if TYPE_CHECKING:
    from ..gradebook.batch import Work
    from ..gradebook.grades import Grades
    from ..gradebook.records import Result
    from ..key.model import AnswerKey


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


def _points(result: Result) -> dict[str, float]:
    return {exercise.id: exercise.points for exercise in result.evidence.exercises}


@click.command()
@click.option("--student", "students", multiple=True, help="Only this student. May be repeated.")
@click.option("--exercise", "names", multiple=True, help="Only this exercise or topic. May be repeated.")
@key_option
@click.option("--fresh-key", "fresh", is_flag=True, help="Draw a new key, as after a change of the course.")
@click.option("--commit", is_flag=True, help="Keep the new grades; without it they are only shown.")
@db_option
@running_options
@course_option
@click.pass_context
def regrade(
    ctx: click.Context,
    students: tuple[str, ...],
    names: tuple[str, ...],
    key_file: Path | None,
    fresh: bool,
    commit: bool,
    db: Path,
    jobs: int,
    seconds: float,
    isolation: str,
    course_dir: Path | None,
) -> None:
    """Grade again what the database holds, and show who would change and by how much.

    Nothing is kept without `--commit`; with it the old grades stay in the history. Needed after a mistake in the
    course was repaired, or with another key. Scores given by hand stay, and are pointed out where the automatic
    score changed under them.
    """
    from ..gradebook.grades import Grades

    if fresh and key_file is not None:
        raise click.UsageError("--fresh-key and --key exclude each other.")
    with Grades(db) as grades, grades.held(), workers_for(isolation) as workers:
        from ..gradebook.batch import Work
        from ..gradebook.grades import key_id
        from ..key.file import check_torch, key_bytes, load_key
        from ..sandbox.session import Limits

        key = load_key(key_file) if key_file else fresh_key(find_course(course_dir)) if fresh else grades.key()
        scope = grades.setting("scope")
        if key is None or scope is None:
            raise click.ClickException(f"{db} holds no grades yet: `kata grade PATH` comes first.")
        check_torch(key, str(key_file or f"the key in {db}"))
        exercises = [exercise for exercise in choose(key, names) if exercise.name in scope]
        if not exercises:
            raise click.UsageError(f"{db} holds the grades of {', '.join(scope)}: none of these was asked for.")
        need_students(grades, students)
        work = Work(key, key_id(key_bytes(key)), exercises, Limits(seconds=seconds), isolation, workers)
        grades.settle(keep=False)  # what an interrupted run has left
        try:
            changes = _grade_again(grades, work, set(students), bool(names), jobs, commit)
            if commit:  # before it is said
                _keep(grades, key, scope=None if students or names else [e.name for e in exercises])
            _show_changes(changes, commit)
        finally:
            grades.settle(keep=False)
        ctx.exit(1 if any(change.fault for change in changes) else 0)


def _grade_again(
    grades: Grades, work: Work, students: set[str], in_part: bool, jobs: int, commit: bool
) -> list[Change]:
    """New results stay in the database, pending: the evidence of a class is too much to hold."""
    from ..gradebook.batch import Watch, each
    from .progress import progress_of

    if commit:
        grades.keep_key(work.key)
    changes: list[Change] = []
    results = [(r.student, r.identity.source, r.fault) for r in grades.results()]
    chosen = [result for result in results if not students or result[0] in students]
    for student in sorted(students - {student for student, _, _ in chosen}):
        click.echo(f"kata: {student!r} has no grade, so that there is nothing to grade again.", err=True)
    wanted = [(student, source) for student, source, fault in chosen if not (fault and in_part)]
    for student in (student for student, _, fault in chosen if fault and in_part):  # some exercises are no grade
        click.echo(f"kata: {student!r} could not be graded yet: leave out --exercise to do it now.", err=True)
    watch = Watch()

    def one(item: tuple[str, str]) -> None:
        student, source = item
        watch.begin(student)
        start = time.monotonic()
        with grades.lock:
            before = next(grades.results(student))
            submission = grades.submission(source, student)
        graded = work.grade(submission, student)
        identity = work.identity(submission)
        after = work.result(graded, student, identity, before.handed_in, time.monotonic() - start)
        if in_part and not graded.fault:
            after = _merged(before, after)
        change = Change.between(before, after)
        with grades.lock:
            watch.done += 1
            watch.end(student)
            changes.append(change)
            if commit and not after.fault and (change.is_one or identity != before.identity):
                grades.add(after, submission, pending=True)

    with progress_of(watch, len(wanted)) as tick:
        each(wanted, one, jobs, tick, work.workers.stop)
    return sorted(changes, key=lambda change: change.student)


def _merged(before: Result, after: Result) -> Result:
    """The old evidence, with the exercises that were graded again in their places."""
    new = {e.id: structs.replace(e, key=after.identity.key) for e in after.evidence.exercises}
    exercises = (*(new.pop(old.id, old) for old in before.evidence.exercises), *new.values())
    points, most = sum(each.points for each in exercises), sum(each.max_points for each in exercises)
    evidence = structs.replace(after.evidence, exercises=exercises, points=points, max_points=most)
    return replace(after, points=points, max_points=most, evidence=evidence)


def _show_changes(changes: list[Change], commit: bool) -> None:
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from ..text import visible
    from .screens import console, points

    out = console()
    changed = [change for change in changes if change.is_one]
    if changed:
        table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
        table.add_column("student", overflow="fold")
        for column in ("before", "after", "change"):
            table.add_column(column, justify="right", no_wrap=True)
        table.add_column("where", overflow="fold")
        for change in changed:
            was, now = sum(change.before.values()), sum(change.after.values())
            before = "–" if change.was_ungradable else points(was)
            if change.fault:
                row = (before, before, "", Text(visible(f"could not be graded: {change.fault}; stays as it is")))
            else:
                row = (before, points(now), f"{now - was:+g}", Text(", ".join(change.exercises)))
            table.add_row(Text(visible(change.student)), *row)
        out.print(table)
    kept = "Kept; the old grades stay in the history." if commit else "Nothing was kept: --commit does."
    click.echo(f"{len(changed)} of {len(changes)} change. {kept if changed else ''}".rstrip())


def _keep(grades: Grades, key: AnswerKey, scope: list[str] | None) -> None:
    """All at once.  What could not be graded stays as it is; `scope` is given when the whole class was graded."""
    with grades.transaction():
        if scope is not None:
            grades.use_key(key)
            grades.set("scope", scope)
            grades.set("max_points", float(sum(e.points for e in key.exercises if e.name in scope)))
            grades.set("course", {"id": key.course, "version": key.version})
        grades.settle(keep=True)
