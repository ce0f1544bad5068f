"""What the commands for instructors share: the database, the key, workers that are confined as asked."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

if TYPE_CHECKING:
    from ..course import Course
    from ..grades import Grades
    from ..model import AnswerKey
    from ..process import Workers
    from ..warm import Zygote

db_option = click.option(
    "--db",
    "db",
    type=click.Path(dir_okay=False, path_type=Path),
    default="grades.db",
    show_default=True,
    help="The database of this assignment's grades.",
)
key_option = click.option(
    "--key",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An answer key made with `kata dev key --secret`. By default one is drawn, once, and kept.",
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
            help="full: confined as `kata doctor` shows, or not at all. "
            "process: limits, but no sandbox, for code you trust.",
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
            help="Workers at a time.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def workers_for(isolation: str, zygote: Zygote | None = None) -> Iterator[Workers]:
    """Workers that are confined as asked; a clear refusal where this machine cannot.  `zygote` was started already."""
    from ..isolation import REQUIRED, missing, sandbox_exists
    from ..process import fresh_workers
    from ..warm import confined_workers

    if isolation == "process":
        if zygote is not None:
            zygote.close()
        click.echo("kata: warning: no sandbox: what is graded now can read and write whatever you can.", err=True)
        with fresh_workers() as workers:
            yield workers
        return
    advice = "`kata doctor` shows what this machine can do; for code you trust there is --isolation=process."
    if not sandbox_exists():
        raise click.ClickException(f"submissions can be confined on Linux only. {advice}")
    with confined_workers(REQUIRED, zygote) as workers:
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


def key_for(grades: Grades, course: Course, key_file: Path | None) -> AnswerKey:
    """The key that this class is graded with: kept in the database since the first time, so that a run can go on."""
    from ..classwork import check_torch
    from ..grades import key_id
    from ..key import key_bytes, load_key

    kept = grades.setting("key")
    if key_file is not None:
        key = load_key(key_file)
        check_torch(key, str(key_file))
        if kept is not None and key_id(key_bytes(key)) != kept:
            old = grades.setting("course") or {}
            of = "another key" if old.get("version") == key.version else f"version {old.get('version')} of the course"
            raise click.ClickException(
                f"{grades.path} was graded with {of}: `kata regrade --key {key_file}` shows what would change; "
                "a new assignment wants another --db."
            )
        return key
    if kept is not None:
        own = grades.key(kept)
        assert own is not None
        check_torch(own, f"the key in {grades.path}")
        _same_version(grades, course, own)
        return own
    return fresh_key(course)


def fresh_key(course: Course) -> AnswerKey:
    """A new key with a secret seed; the public one, with a warning, where there are no solutions."""
    from ..classwork import check_torch
    from ..key import load_key

    if course.solutions_path is None:
        click.echo(
            "kata: warning: no solutions here, so this is graded with the public key, whose answers everyone can read.",
            err=True,
        )
        key = load_key(course.public_key)
        check_torch(key, "the public key")
        return key
    from .drawing import draw_with_progress

    return draw_with_progress(course, secrets.randbits(63), public=False)


def _same_version(grades: Grades, course: Course, key: AnswerKey) -> None:
    if course.solutions_path is not None and (course.id, course.version) != (key.course, key.version):
        raise click.ClickException(
            f"{grades.path} was graded with version {key.version} of {key.course}, here is {course.version} of "
            f"{course.id}: `kata regrade --fresh-key` shows what would change; a new assignment wants another --db."
        )


def need_students(grades: Grades, students: tuple[str, ...]) -> None:
    """A usage error for a student whom the database does not know."""
    known = {student.id for student in grades.students()}
    for student in students:
        if student not in known:
            raise click.UsageError(f"{grades.path} knows no student {student!r}.{did_you_mean(student, known)}")


def did_you_mean(wanted: str, known: set[str], least: float = 0.6) -> str:
    import difflib

    near = difflib.get_close_matches(wanted, known, 1, least)
    return f" Did you mean {near[0]!r}?" if near else ""


def describe_isolation(reports: list[Mapping[str, Any]], mode: str) -> str:
    """The layers in force for everybody, or that there was no sandbox."""
    from ..isolation import was_run

    if mode == "process":
        return "process, no sandbox"
    states = [{layer: state for layer, state in report.items() if layer != "mode"} for report in reports]
    layers = [report for report in states if was_run(report)]
    if not layers:
        return "full, nothing was run"
    return "full, " + ", ".join(
        layer for layer in layers[0] if all(str(each.get(layer, "")).startswith("on") for each in layers)
    )
