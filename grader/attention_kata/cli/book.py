"""What is decided after grading: `kata regrade`, `kata adjust` and `kata due`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ..course import find_course
from .common import choose, course_option
from .teaching import db_option, fresh_key, key_option, running_options, workers_for

if TYPE_CHECKING:
    from ..classwork import Work
    from ..grades import Grades
    from ..model import AnswerKey
    from ..records import Result


# ---------------------------------------------------------------------- kata regrade


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
    return {exercise["id"]: float(exercise["points"]) for exercise in result.evidence["exercises"]}


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
    from ..grades import Grades

    if fresh and key_file is not None:
        raise click.UsageError("--fresh-key and --key exclude each other.")
    with Grades(db) as grades, grades.held(), workers_for(isolation) as workers:
        from ..classwork import Work, check_torch
        from ..engine import Limits
        from ..grades import key_id
        from ..key import key_bytes, load_key

        key = load_key(key_file) if key_file else fresh_key(find_course(course_dir)) if fresh else grades.key()
        scope = grades.setting("scope")
        if key is None or scope is None:
            raise click.ClickException(f"{db} holds no grades yet: `kata grade PATH` comes first.")
        check_torch(key, str(key_file or f"the key in {db}"))
        exercises = [exercise for exercise in choose(key, names) if exercise.name in scope]
        if not exercises:
            raise click.UsageError(f"{db} holds the grades of {', '.join(scope)}: none of these was asked for.")
        _know(grades, students)
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


def _know(grades: Grades, students: tuple[str, ...]) -> None:
    known = {student.id for student in grades.students()}
    for student in students:
        if student not in known:
            raise click.UsageError(f"{grades.path} knows no student {student!r}.{_near(student, known)}")


def _near(wanted: str, known: set[str], least: float = 0.6) -> str:
    import difflib

    near = difflib.get_close_matches(wanted, known, 1, least)
    return f" Did you mean {near[0]!r}?" if near else ""


def _grade_again(
    grades: Grades, work: Work, students: set[str], in_part: bool, jobs: int, commit: bool
) -> list[Change]:
    """New results stay in the database, pending: the evidence of a class is too much to hold."""
    from ..classwork import Watch, each
    from .progress import progress_of

    if commit:
        grades.keep_key(work.key)
    changes: list[Change] = []
    wanted = [(r.student, r.identity.source) for r in grades.results() if not students or r.student in students]
    for student in sorted(students - {student for student, _ in wanted}):
        click.echo(f"kata: {student!r} has no grade, so that there is nothing to grade again.", err=True)
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
    new = {exercise["id"]: {**exercise, "key": after.identity.key} for exercise in after.evidence["exercises"]}
    exercises = [new.pop(exercise["id"], exercise) for exercise in before.evidence["exercises"]] + list(new.values())
    points, most = (sum(float(exercise[name]) for exercise in exercises) for name in ("points", "max_points"))
    evidence = {**after.evidence, "exercises": exercises, "points": points, "max_points": most}
    return replace(after, points=points, max_points=most, evidence=evidence)


def _show_changes(changes: list[Change], commit: bool) -> None:
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from ..terminal import console, plain, points

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
                row = (before, before, "", Text(plain(f"could not be graded: {change.fault}; stays as it is")))
            else:
                row = (before, points(now), f"{now - was:+g}", Text(", ".join(change.exercises)))
            table.add_row(Text(plain(change.student)), *row)
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


# ---------------------------------------------------------------------- kata adjust


@click.command()
@click.argument("student")
@click.option("--check", "check", help="EXERCISE/CHECK, such as softmax/values; without it, the whole submission.")
@click.option("--points", type=float, help="The score in place of the automatic one.")
@click.option("--comment", default="", help="A word to the student; shown in the feedback.")
@click.option("--clear", is_flag=True, help="Take a decision back.")
@db_option
def adjust(student: str, check: str | None, points: float | None, comment: str, clear: bool, db: Path) -> None:
    """Give a score or a comment by hand, for a check or a whole submission; without any option, show what there is.

    It is kept apart from the automatic score and survives regrading; where the automatic score has changed since,
    `kata report` and this command point it out. A late penalty applies to a score given by hand too.
    """
    from ..grades import Grades
    from ..records import Adjustment, now
    from ..standing import standings

    with Grades(db) as grades:
        _know(grades, (student,))
        row = next(row for row in standings(grades) if row.id == student)
        if points is None and not comment and not clear:
            _show_standing(grades, row)
            return
        exercise, automatic, most = "", row.automatic, row.max_points
        name = ""
        if check is not None:
            exercise, name, found = _find_check(row, check)
            automatic, most = float(found["points"]), float(found["max_points"])
        if points is not None and not 0 <= points <= most:
            raise click.UsageError(f"--points {points:g}: between 0 and {most:g} can be given here.")
        if clear and (points is not None or comment):
            raise click.UsageError("--clear takes a decision back; give no --points or --comment with it.")
        before = (row.adjustments or {}).get((exercise, name))
        if before is not None and not clear:  # what is not given now stays as it was decided
            comment = comment or before.comment
            if points is None:
                points, automatic = before.points, before.automatic
        if clear and before is None:
            there = [f"--check {e}/{c}" if e else "no --check" for e, c in row.adjustments or {}]
            raise click.UsageError(
                f"nothing was decided there by hand. What was, is taken back with {' or '.join(there)}."
                if there
                else f"nothing of {student!r} was decided by hand."
            )
        grades.adjust(Adjustment(student, exercise, name, points, comment, automatic, now()))
        row = next(row for row in standings(grades) if row.id == student)
        _show_standing(grades, row)


def _find_check(row: Any, wanted: str) -> tuple[str, str, Any]:
    known = {
        f"{exercise['id']}/{check['id']}": (exercise["id"], check["id"], check)
        for exercise in row.exercises
        for check in exercise["checks"]
    }
    if wanted in known:
        return known[wanted]
    own = [name for name in known if name.split("/")[0] == wanted.split("/")[0]]
    listed = f" There are: {', '.join(own or known)}." if known else " Nothing was graded yet."
    raise click.UsageError(f"there is no check {wanted!r}.{_near(wanted, set(known), 0.9) or listed}")


def _show_standing(grades: Grades, row: Any) -> None:
    from ..terminal import plain, points

    def got(number: float | None) -> str:
        return "no grade" if number is None else points(number)

    click.echo(f"{plain(row.name)}: {got(row.points)} of {points(row.max_points)} points ({row.status})")
    click.echo(f"  automatic: {got(row.automatic)}")
    if row.penalty:
        click.echo(f"  late by {row.seconds_late / 3600:.1f} h: {100 * row.penalty:g}% taken off")
    for (exercise, check), a in (row.adjustments or {}).items():
        what = f"{exercise}/{check}" if exercise else "the submission"
        score = "" if a.points is None else f" {points(a.points)} points instead of {got(a.automatic)}"
        flag = f" (automatic is {got(row.automatic_of(a))} now: look again)" if a in row.outdated else ""
        click.echo(f"  by hand, {what}:{score}{flag}{' – ' + plain(a.comment) if a.comment else ''}")
    for result in grades.results(row.id, history=True):
        what = plain(result.fault) if result.fault else f"{points(result.points)} of {points(result.max_points)}"
        click.echo(f"  graded {result.graded_at:%Y-%m-%d %H:%M} UTC, key {result.identity.key[:8]}: {what}")


# ---------------------------------------------------------------------- kata due


@click.command()
@click.argument("when", required=False)
@click.option("--late", "policy", help="none, 'per-day 10% cap 50%' or 'steps 1h 5%, 1d 20%'.")
@click.option("--extend", "extensions", type=(str, str), multiple=True, help="STUDENT SPAN: so much more time, as 2d.")
@click.option("--never", is_flag=True, help="No due date any more.")
@db_option
def due(when: str | None, policy: str | None, extensions: tuple[tuple[str, str], ...], never: bool, db: Path) -> None:
    """Set or show when the assignment is due, what lateness costs, and who has more time.

    WHEN is a date such as `2026-12-01 23:59`, in this machine's time zone unless it names one; a date alone means
    the end of that day. Grades are recomputed from what is stored; nothing is run again.
    """
    from ..grades import Grades
    from ..late import BadPolicy, read_policy, read_span, read_time
    from ..standing import Terms

    if never and when:
        raise click.UsageError("--never and a date exclude each other.")
    with Grades(db) as grades:
        _know(grades, tuple(student for student, _ in extensions))
        try:
            moment = read_time(when) if when else None
            terms = str(read_policy(policy)) if policy is not None else None
            spans = [(student, read_span(span)) for student, span in extensions]
        except BadPolicy as error:
            raise click.UsageError(f"{error}.") from None
        with grades.transaction():
            if moment is not None or never:
                grades.set("due", moment.isoformat() if moment else None)
            if terms is not None:
                grades.set("late", terms)
            for student, seconds in spans:
                grades.extend(student, seconds)
        now = Terms.of(grades)
        click.echo(f"Due: {now.due:%Y-%m-%d %H:%M} UTC" if now.due else "Due: never")
        click.echo(f"Late policy: {now.policy}")
        for each in grades.students():
            if each.extension:
                click.echo(f"  {each.id}: {each.extension / 3600:g} h more")
