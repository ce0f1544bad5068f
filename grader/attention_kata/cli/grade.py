"""`kata grade`: a class, in any shape it comes, into a database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ..course.find import find_course
from ..messages.render import INSTRUCTOR, render
from ..startup import Terminated, loading
from ..text import visible
from .keys import import_meanwhile, key_for, public_key
from .options import choose, course_option, db_option, key_option, running_options
from .workers import describe_isolation, workers_for

if TYPE_CHECKING:
    from ..gradebook.batch import Watch
    from ..gradebook.grades import Grades
    from ..intake import Intake
    from ..nbgrader.grading import KeyOf, Then


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--exercise", "names", multiple=True, help="Grade only this exercise or topic. May be repeated.")
@click.option("--layout", help="The layout of PATH, where it is not clear: `folders`, `canvas`, ...")
@click.option("--assignment", help="Which assignment, where PATH holds several (nbgrader).")
@click.option(
    "--roster",
    "roster_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV of the class: student_id, first_name, last_name, email.",
)
@click.option(
    "--gradebook",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the grades into this nbgrader gradebook.db; PATH is the course's submitted/ folder.",
)
@db_option
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all results to FILE.")
@key_option
@running_options
@course_option
@click.pass_context
def grade(
    ctx: click.Context,
    path: Path,
    names: tuple[str, ...],
    layout: str | None,
    assignment: str | None,
    roster_file: Path | None,
    gradebook: Path | None,
    db: Path,
    json_file: Path | None,
    key_file: Path | None,
    jobs: int,
    seconds: float,
    isolation: str,
    course_dir: Path | None,
) -> None:
    """Grade a class: PATH holds its submissions.

    PATH is a folder with a folder, a `.py` file or a notebook for each student, a zip or tar of these, or a
    download from Canvas, Moodle, Gradescope, GitHub Classroom or nbgrader. Each submission is kept in the database
    as soon as it is graded: run again, the same command continues where it stopped and grades nothing twice.

    Where the course's solutions are available, a secret answer key is drawn for each new database, so that nothing
    copied from the public key earns points.

    Exit code 0 when everyone could be graded, 1 when someone could not, 2 for usage or environment.
    """
    from ..gradebook.batch import Watch, Work, grade_class
    from ..gradebook.enrol import assign, enrol
    from ..gradebook.grades import Grades
    from ..intake.roster import read_roster
    from ..sandbox.session import Limits
    from .progress import progress_of

    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise click.ClickException(f"{json_file.parent} is not a folder: create it first, or write --json elsewhere.")
    course = find_course(course_dir)
    public = public_key(course)
    choose(public, names)  # what is wrong is said before a key is drawn, which takes a while
    roster = None if roster_file is None else read_roster(roster_file)
    with loading():
        intake = _find(path, public.files, layout, assignment)

    if key_file is None and course.solutions_path is not None and intake.layout != "nbgrader" and not db.exists():
        import_meanwhile()  # a key will be drawn

    def plain(key_of: KeyOf, then: Then) -> int:
        with Grades(db, create=True) as grades, grades.held(), workers_for(isolation, ctx.obj) as workers:
            with loading():
                key = key_for(grades, course, key_of(grades))
            exercises, note = assign(grades, key, choose(key, names), all_of_them=not names)
            enrolled = enrol(grades, intake.attempts, roster)
            for text in filter(None, (note, *enrolled.notes)):
                _note(text)
            chosen = enrolled.attempts
            work = Work(
                key=key,
                key_id=grades.use_key(key),
                exercises=exercises,
                limits=Limits(seconds=seconds),
                mode=isolation,
                workers=workers,
            )
            watch = Watch()
            try:
                with progress_of(watch, len(chosen)) as tick:
                    grade_class(grades, chosen, work, jobs, watch, tick)
                all_went_well = then(grades, work)
                code = _tell(grades, watch, isolation, json_file)
            except (KeyboardInterrupt, Terminated) as stopped:
                raise type(stopped)(
                    f"stopped: {watch.done + watch.kept} of {len(chosen)} submissions are graded and kept in {db}; "
                    "run the same command again to continue"
                ) from None
            return code if all_went_well else 1

    if gradebook is None and intake.layout != "nbgrader":
        code = plain(lambda _: key_file, lambda *_: True)
    else:
        from ..nbgrader.grading import grade as in_nbgrader

        code = in_nbgrader(plain, intake, path, gradebook, key_file, lambda line: click.echo(visible(line), err=True))
    ctx.exit(code)


def _find(path: Path, topics: Sequence[str], layout: str | None, assignment: str | None) -> Intake:
    from ..intake import find_submissions

    intake = find_submissions(path, topics, layout, assignment)
    for note in intake.notes:
        _note(render(note, INSTRUCTOR))
    return intake


def _note(note: str) -> None:
    click.echo(f"kata: {note}", err=True)


def _tell(grades: Grades, watch: Watch, isolation: str, json_file: Path | None) -> int:
    """Write and print what there is now -> the exit code."""
    from ..files import replace_file
    from ..gradebook.records import Status
    from ..gradebook.standing import standings
    from ..judge.evidence import class_json
    from .progress import slowest
    from .screens import ClassTable

    table = ClassTable(grades.key())
    reports = []
    for row in standings(grades):
        table.add(row)
        if row.result is not None and row.result.evidence.isolation not in reports:
            reports.append(row.result.evidence.isolation)
    if json_file is not None:  # before anything is printed: it is not lost because a reader goes away
        replace_file(json_file, class_json(result.evidence for result in grades.results()), "--json")
    table.show()
    if watch.kept:
        click.echo(f"{watch.kept} were graded before and have not changed.")
    if words := slowest(watch):
        click.echo(words)
    click.echo(f"Isolation: {describe_isolation(reports, isolation)}.")
    click.echo(f"Kept in {grades.path}. The class at a glance: kata report; other formats: kata export --help")
    for student, fault in watch.faults.items():
        _note(f"{student!r} could not be graded: {visible(fault)}. Run it again.")
    return 1 if watch.faults or table.counts[Status.UNREADABLE] or table.counts[Status.UNGRADABLE] else 0
