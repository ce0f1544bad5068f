"""`kata report` and `kata feedback`: what came of a class, for its instructor and for each student."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rich_click as click

from .options import db_option


@click.command()
@db_option
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page to write. An existing one is replaced.",
)
def report(db: Path, out: Path) -> None:
    """Write the class report: one HTML page for the instructor.

    It shows how points are distributed, the misconceptions in the class, ranked (who, in which exercise, on
    which line), expected and found results as heat maps, how well each check tells students apart, every
    student with lateness and decisions by hand, and whom to look at before grades go out.

    The page is one file that loads nothing; it works on a phone, in dark mode and on paper. It shows
    results from the answer key: keep it to yourself, and give students what `kata feedback` writes.
    """
    from ..files import replace_file
    from ..gradebook.grades import Grades
    from ..gradebook.records import now
    from ..report.format import moment, times
    from ..report.gather import gather
    from ..report.page import class_page

    _folder_of(out)
    with Grades(db) as grades, _progress("reading", sum(1 for _ in grades.students())) as tick:
        found = gather(grades, tick)
        size = replace_file(out, class_page(found, moment(now())))
    click.echo(f"{out}: {times(found.glance.students, 'student')}, {size / 1e6:.1f} MB.")


@click.command()
@db_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder to write into: a new or empty one, or one that this command made before.",
)
@click.option("--student", "students", multiple=True, metavar="ID", help="Only this student. May be repeated.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown", "both"]),
    default="both",
    show_default=True,
    help="What to write for each student.",
)
def feedback(db: Path, out: Path, students: tuple[str, ...], form: str) -> None:
    """Write one page for each student: what is right, what is not yet, and the question that leads on.

    It holds points, verdicts, messages, hints, line numbers, your comments and what lateness costs. It never
    holds inputs or results from the answer key, nor anything about other students: where a message has hidden
    numbers or text that the student's code could have written, it is put in general terms.

    File names are made from ids and are safe everywhere; `index.csv` says which file is whose. A folder that
    holds other files is refused.
    """
    from ..gradebook.grades import Grades
    from ..report.folder import write_feedback
    from ..report.format import times

    forms = ("html", "markdown") if form == "both" else (form,)
    with Grades(db) as grades:
        known = {student.id for student in grades.students()}
        unknown = [id for id in students if id not in known]
        if unknown:
            raise click.UsageError(f"there is no student {unknown[0]!r} in {db}. `kata export csv` lists the ids.")
        with _progress("writing", len(set(students)) or len(known)) as tick:
            count = write_feedback(grades, out, forms, set(students) or None, tick)
    click.echo(f"{out}: feedback for {times(count, 'student')}; index.csv says which file is whose.")


def _folder_of(out: Path) -> None:
    if not out.absolute().parent.is_dir():
        raise click.ClickException(f"{out.parent} is not a folder: create it first, or name another with --out.")


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[], Any]]:
    """A bar on a terminal, for classes that take a while -> what to call after each student."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal or total < 200, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
