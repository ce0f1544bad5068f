"""What the commands for instructors share: the database, the key, workers that are confined as asked."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

if TYPE_CHECKING:
    from ..gradebook.grades import Grades
    from ..key.model import AnswerKey, Exercise

db_option = click.option(
    "--db",
    "db",
    type=click.Path(dir_okay=False, path_type=Path),
    default="grades.db",
    show_default=True,
    help="The database with this assignment's grades.",
)
key_option = click.option(
    "--key",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An answer key made with `kata dev key --secret`. By default one is drawn the first time, and kept.",
)


def running_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--jobs, --seconds and --isolation."""
    import os

    for option in (
        click.option(
            "--isolation",
            type=click.Choice(["full", "process"]),
            default="full",
            show_default=True,
            help="full: confine as `kata doctor` shows, or refuse to run. "
            "process: limits but no sandbox; only for code you trust.",
        ),
        click.option(
            "--seconds",
            type=click.FloatRange(0.1, 600),
            default=5.0,
            show_default=True,
            help="Time limit for each call.",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(1, 64),
            default=min(64, os.cpu_count() or 1),
            show_default=True,
            help="How many workers run at once.",
        ),
    ):
        command = option(command)
    return command


def need_students(grades: Grades, students: tuple[str, ...]) -> None:
    """A usage error for a student whom the database does not know."""
    known = {student.id for student in grades.students()}
    for student in students:
        if student not in known:
            raise click.UsageError(f"{grades.path} has no student {student!r}.{did_you_mean(student, known)}")


def did_you_mean(wanted: str, known: set[str], least: float = 0.6) -> str:
    import difflib

    near = difflib.get_close_matches(wanted, known, 1, least)
    return f" Did you mean {near[0]!r}?" if near else ""


course_option = click.option(
    "--course",
    "course_dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Another course: the folder that holds its exercises/ (and, for authors, solutions/).",
)
dir_option = click.option(
    "--dir",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where your files are. By default the current folder, or exercises/ in it.",
)


def learner_folder(directory: Path | None, files: Sequence[str]) -> Path:
    """The folder with the learner's files; a usage error that says what to do when there is none."""
    if directory is not None:
        return directory
    here = Path.cwd()
    for folder in (here, here / "exercises"):
        if any((folder / file).exists() for file in files):
            return folder
    raise click.ClickException("there are no exercise files here. `kata init` gets them; --dir names another folder.")


def choose(key: AnswerKey, names: Sequence[str]) -> list[Exercise]:
    """Exercises by name, topic or file name, in course order; all when none is named."""
    if not names:
        return list(key.exercises)
    chosen = set()
    for name in names:
        found = {e.name for e in key.exercises if name in (e.name, e.file, e.file.removesuffix(".py"))}
        exact = {e.name for e in key.exercises if name == e.name}  # `attention` is an exercise and a topic
        if not found:
            known = [e.name for e in key.exercises] + [file.removesuffix(".py") for file in key.files]
            near = difflib.get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else " `kata list` shows them all."
            raise click.UsageError(f"there is no exercise {name!r}.{hint}")
        chosen |= exact or found
    return [e for e in key.exercises if e.name in chosen]
