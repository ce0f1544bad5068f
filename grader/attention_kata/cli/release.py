"""`kata release`: an assignment for the classroom's own tool."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import rich_click as click

from ..course.find import find_course
from ..report.format import times
from .keys import fresh_key, public_key
from .options import choose, course_option, key_option

if TYPE_CHECKING:
    from ..course.find import Course
    from ..key.model import AnswerKey


@click.command()
@click.option(
    "--nbgrader",
    "classroom",
    required=True,
    metavar="COURSE_DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of an nbgrader course; created if it does not exist.",
)
@click.option("--assignment", help="The name of the assignment. By default the course's.")
@click.option("--exercise", "names", multiple=True, help="Only this exercise or topic. May be repeated.")
@click.option("--force", is_flag=True, help="Overwrite the notebook of an existing assignment.")
@key_option
@course_option
def release(
    classroom: Path,
    assignment: str | None,
    names: tuple[str, ...],
    force: bool,
    key_file: Path | None,
    course_dir: Path | None,
) -> None:
    """Write a source assignment for nbgrader: a notebook with every exercise's prompt, answer and checks.

    `nbgrader generate_assignment` then makes the learners' version, without solutions or hidden checks. The
    assignment's answer key is kept in COURSE_DIR/kata, where both `nbgrader autograde` and `kata grade` find it.
    """
    from ..nbgrader import need_nbgrader

    need_nbgrader()
    from ..nbgrader.release import ReleaseError, notebook_of, only, write_assignment
    from ..notebook.keys import key_path

    course = find_course(course_dir)
    name = assignment or public_key(course).course
    if not re.fullmatch(r"\w[\w.-]*", name, re.ASCII):
        raise click.UsageError(
            f"--assignment {name!r}: nbgrader accepts only letters, digits, dots, - and _ in a name."
        )
    source = classroom / "source" / name / f"{name}.ipynb"
    if source.exists() and not force:
        raise ReleaseError(f"{source} already exists: --force overwrites it and keeps its key")
    chosen = {exercise.name for exercise in choose(public_key(course), names)}
    key = _key(course, key_file, key_path(classroom, name), chosen)
    exercises = tuple(exercise for exercise in key.exercises if exercise.name in chosen)
    notebook = notebook_of(course, exercises, key.title)
    for path in write_assignment(classroom, name, notebook, only(key, exercises)):
        click.echo(f"  {path}")
    points = sum(exercise.points for exercise in exercises)
    click.echo(
        f"{times(len(exercises), 'exercise')}, {points:g} points. Next: "
        f"cd {quote(str(classroom))} && nbgrader generate_assignment {name}"
    )
    if "ExecutePreprocessor.timeout" not in (classroom / "nbgrader_config.py").read_text(
        encoding="utf-8", errors="replace"
    ):
        click.echo("Add to nbgrader_config.py: c.ExecutePreprocessor.timeout = 900")


def _key(course: Course, given: Path | None, kept: Path, wanted: set[str]) -> AnswerKey:
    """The key that was given; else the one that this assignment has, when it fits; else a new one."""
    from ..key.file import check_torch, load_key

    if given is None and kept.is_file():
        key = load_key(kept)
        if {exercise.name for exercise in key.exercises} == wanted and key.version == course.version:
            check_torch(key, str(kept))
            return key
        raise click.ClickException(
            f"{kept} is the key of other exercises or of another version: remove it, or choose another --assignment."
        )
    if given is None:
        return fresh_key(course)
    key = load_key(given)
    check_torch(key, str(given))
    return key
