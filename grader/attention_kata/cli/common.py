"""What several commands share: options, finding the learner's folder, choosing exercises."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ..course import Course
from ..process import FRESH, Workers

if TYPE_CHECKING:
    from ..model import AnswerKey, Exercise
    from ..warm import Zygote

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
    raise click.ClickException("no exercise files here. Type `kata init` to get them, or name their folder with --dir.")


def public_key(course: Course) -> AnswerKey:
    """The course's public key; CourseError in one line when it cannot be used."""
    from ..key import load_key

    return load_key(course.public_key)


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


@contextmanager
def any_workers(zygote: Zygote | None = None) -> Iterator[Workers]:
    """The best workers this system has, started at once: confined where that works, else fresh processes.

    `zygote` is one that has been started already.
    """
    from ..isolation import sandbox_exists
    from ..process import FreshProcesses, fresh_workers
    from ..warm import confined_workers

    if not sandbox_exists():
        with fresh_workers() as workers:
            yield workers
        return
    with closing(FreshProcesses()) as fresh, confined_workers(zygote=zygote) as workers:
        yield replace(workers, instead=lambda why: fresh.worker(f"{FRESH}, since {why}"))
