"""`kata grade`: a folder of student folders."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ..course import find_course
from .common import choose, course_option

if TYPE_CHECKING:
    from ..course import Course
    from ..model import AnswerKey
    from ..process import Workers
    from ..score import Grade


@click.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--exercise", "names", multiple=True, help="Grade only this exercise or topic. May be repeated.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all results to FILE.")
@click.option(
    "--key",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An answer key made with `kata dev key`. By default a fresh one is drawn with a secret seed.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=min(64, os.cpu_count() or 1),
    show_default=True,
    help="Workers at a time.",
)
@click.option(
    "--seconds", type=click.FloatRange(0.1, 600), default=5.0, show_default=True, help="Time limit for each call."
)
@click.option(
    "--isolation",
    type=click.Choice(["full", "process"]),
    default="full",
    show_default=True,
    help="full: confined as `kata doctor` shows, or not at all. process: limits, but no sandbox, for code you trust.",
)
@course_option
@click.pass_context
def grade(
    ctx: click.Context,
    path: Path,
    names: tuple[str, ...],
    json_file: Path | None,
    key_file: Path | None,
    jobs: int,
    seconds: float,
    isolation: str,
    course_dir: Path | None,
) -> None:
    """Grade a class: PATH holds one folder for each student, with the files of the exercises in it.

    Prints a table; `--json FILE` writes every verdict. Where the course's solutions are at hand, a new
    key is drawn for each run, so that nothing copied from the public key earns points.

    Exit code 0 when everyone could be graded, 1 when someone could not, 2 for usage or environment.
    """
    from ..terminal import show_class

    folders = _student_folders(path)
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise click.ClickException(f"{json_file.parent} is no folder: make it first, or write --json elsewhere.")
    with _workers(isolation) as workers:
        key = _key(find_course(course_dir), key_file)
        _not_a_submission(path, key)
        exercises = choose(key, names)
        grades = _grade_all(folders, key, [e.name for e in exercises], jobs, seconds, workers)
    if json_file is not None:
        _write(json_file, grades)
    show_class(grades)
    click.echo(f"Isolation: {_in_force(grades, isolation)}.")
    ungraded = [grade for grade in grades if grade.fault]
    for grade in ungraded:
        click.echo(f"kata: {grade.student!r} could not be graded: {grade.fault}. Run it again.", err=True)
    ctx.exit(1 if ungraded else 0)


@contextmanager
def _workers(isolation: str) -> Iterator[Workers]:
    """Workers that are confined as asked; a clear refusal where this machine cannot."""
    from ..isolation import REQUIRED, missing, sandbox_exists
    from ..process import fresh_workers
    from ..warm import confined_workers

    if isolation == "process":
        click.echo("kata: warning: no sandbox: what is graded now can read and write whatever you can.", err=True)
        with fresh_workers() as workers:
            yield workers
        return
    advice = "`kata doctor` shows what this machine can do; for code you trust there is --isolation=process."
    if not sandbox_exists():
        raise click.ClickException(f"submissions can be confined on Linux only. {advice}")
    with confined_workers(REQUIRED) as workers:
        off = missing(_probe(workers))
        if off:
            raise click.ClickException(f"this machine cannot confine submissions: {', '.join(off)}. {advice}")
        yield workers


def _probe(workers: Workers) -> Mapping[str, str]:
    """What a real worker reports of its layers."""
    from ..engine import Limits, run_submission
    from ..submission import Submission

    unconditional = replace(workers, required=())
    run = run_submission(Submission("probe", {"probe.py": ""}), (), Limits(), unconditional, ("probe.py",))
    if run.fault:
        raise click.ClickException(f"{run.fault}: does `python -c 'import torch'` work?")
    return run.isolation


def _write(json_file: Path, grades: list[Grade]) -> None:
    """Before anything is printed: what was graded is not lost because a reader goes away."""
    from ..score import class_as_json, json_bytes

    temporary = json_file.with_name(json_file.name + ".part")
    try:
        temporary.write_bytes(json_bytes(class_as_json(grades)))
        os.replace(temporary, json_file)
    except OSError as error:
        raise click.ClickException(
            f"{json_file} cannot be written: {error.strerror}. Write --json elsewhere."
        ) from None


def _in_force(grades: list[Grade], mode: str) -> str:
    """The layers in force for everybody, or that there was no sandbox."""
    if mode == "process":
        return "process, no sandbox"
    layers = [dict(grade.isolation) for grade in grades if grade.isolation]
    if not layers:
        return "full, nothing was run"
    return "full, " + ", ".join(
        layer for layer in layers[0] if all(str(each.get(layer, "")).startswith("on") for each in layers)
    )


def _student_folders(path: Path) -> list[Path]:
    entries = [entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith((".", "__"))]
    folders = sorted(entry for entry in entries if not entry.is_symlink())
    for link in sorted(set(entries) - set(folders)):
        click.echo(f"kata: {link.name!r} is a link, not a folder of its own: left out.", err=True)
    if not folders:
        raise click.ClickException(f"{path} holds no folders: one for each student is expected.")
    return folders


def _not_a_submission(path: Path, key: AnswerKey) -> None:
    found = [file for file in key.files if (path / file).exists()]
    if found:
        raise click.ClickException(
            f"{path} holds {found[0]}, so it looks like one submission: give the folder that holds the student folders."
        )


def _key(course: Course, key_file: Path | None) -> AnswerKey:
    from ..key import load_key

    if key_file is not None:
        return load_key(key_file)
    if course.solutions_path is None:
        click.echo(
            "kata: warning: no solutions here, so this is graded with the public key, whose answers everyone can read.",
            err=True,
        )
        return load_key(course.public_key)
    from .drawing import draw_with_progress

    return draw_with_progress(course, secrets.randbits(63), public=False)


def _grade_all(
    folders: list[Path], key: AnswerKey, names: list[str], jobs: int, seconds: float, workers: Workers
) -> list[Grade]:
    """Grade every folder, `jobs` at a time, in the order of the folders."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from ..engine import Limits
    from ..grading import grade as grade_one
    from ..score import Grade
    from ..submission import read_submission

    exercises = [e for e in key.exercises if e.name in names]
    files = tuple(dict.fromkeys(e.file for e in exercises))
    limits = Limits(seconds=seconds)

    def one(folder: Path) -> Grade:
        try:
            return grade_one(read_submission(folder, files), key, exercises, limits, workers, student=folder.name)
        except Exception as error:  # whatever one folder holds, the class goes on
            return Grade(key, (), folder.name, fault=f"{type(error).__name__}: {error}")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    error = Console(stderr=True)
    done: dict[int, Grade] = {}
    with Progress(*columns, console=error, disable=not error.is_terminal, transient=True) as progress:
        task = progress.add_task("grading", total=len(folders))
        pool = ThreadPoolExecutor(jobs)
        try:
            futures: dict[Future[Grade], int] = {pool.submit(one, folder): i for i, folder in enumerate(folders)}
            waiting = set(futures)
            while waiting:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    done[futures[future]] = future.result()
                    progress.advance(task)
        except BaseException:  # Ctrl-C too: what runs now is not waited for
            workers.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return [done[i] for i in range(len(folders))]
