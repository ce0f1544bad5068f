"""`kata regrade`: what grading again would change, and the change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ..course.find import find_course
from .keys import fresh_key
from .options import choose, course_option, db_option, key_option, need_students, running_options
from .workers import workers_for

if TYPE_CHECKING:
    from ..gradebook.regrade import Change


@click.command()
@click.option("--student", "students", multiple=True, help="Only this student. May be repeated.")
@click.option("--exercise", "names", multiple=True, help="Only this exercise or topic. May be repeated.")
@key_option
@click.option("--fresh-key", "fresh", is_flag=True, help="Draw a new key, for instance after a change to the course.")
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
    """Grade again what the database holds, and show whose points would change and by how much.

    Nothing is kept without `--commit`; with it the old grades stay in the history. Use it after fixing a
    mistake in the course, or to change to another key. Scores given by hand stay; where the automatic score has
    changed since, that is pointed out.
    """
    from ..gradebook.grades import Grades

    if fresh and key_file is not None:
        raise click.UsageError("give either --fresh-key or --key, not both.")
    with Grades(db) as grades, grades.held(), workers_for(isolation) as workers:
        from ..gradebook.batch import Watch, Work
        from ..gradebook.grades import key_id
        from ..gradebook.regrade import grade_again, keep, plan
        from ..key.file import check_torch, key_bytes, load_key
        from ..sandbox.session import Limits
        from .progress import progress_of

        key = load_key(key_file) if key_file else fresh_key(find_course(course_dir)) if fresh else grades.key()
        scope = grades.setting("scope")
        if key is None or scope is None:
            raise click.ClickException(f"{db} holds no grades yet: run `kata grade PATH` first.")
        check_torch(key, str(key_file or f"the key in {db}"))
        exercises = [exercise for exercise in choose(key, names) if exercise.name in scope]
        if not exercises:
            raise click.UsageError(f"{db} holds the grades of {', '.join(scope)}: none of these was asked for.")
        need_students(grades, students)
        work = Work(
            key=key,
            key_id=key_id(key_bytes(key)),
            exercises=exercises,
            limits=Limits(seconds=seconds),
            mode=isolation,
            workers=workers,
        )
        grades.settle(keep=False)  # what an interrupted run has left
        try:
            again = plan(grades, set(students), in_part=bool(names))
            for note in again.notes:
                click.echo(f"kata: {note}", err=True)
            watch = Watch()
            with progress_of(watch, len(again.wanted)) as tick:
                changes = grade_again(
                    grades, work, again.wanted, in_part=bool(names), commit=commit, jobs=jobs, watch=watch, tick=tick
                )
            if commit:  # before it is said
                keep(grades, key, scope=None if students or names else [e.name for e in exercises])
            _show_changes(changes, commit)
        finally:
            grades.settle(keep=False)
        ctx.exit(1 if any(change.fault for change in changes) else 0)


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
    kept = "Kept; the old grades stay in the history." if commit else "Nothing was kept: --commit keeps it."
    click.echo(f"{len(changed)} of {len(changes)} change. {kept if changed else ''}".rstrip())
