"""`kata doctor`: whether this machine can do what the program needs, tried for real."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import rich_click as click

from ..course import CourseError
from .common import course_option, get_course, public_key


@click.command()
@course_option
@click.pass_context
def doctor(ctx: click.Context, course_dir: Path | None) -> None:
    """Try out this installation: packages, course, answer key, and a worker that really runs.

    Exit code 0 when all is well, 2 when something must be mended; each line says how.
    """
    from rich.table import Table
    from rich.text import Text

    from ..terminal import console

    rows = [
        (
            "python",
            sys.version_info >= (3, 11),
            f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        ),
        *_packages(),
        *_course(course_dir),
        *_worker(),
    ]
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, fine, text in rows:
        table.add_row(Text("✓" if fine else "✗", "green" if fine else "red"), name, Text(text))
    console().print(table)
    ctx.exit(0 if all(fine for _, fine, _ in rows) else 2)


def _packages() -> list[tuple[str, bool, str]]:
    rows = []
    for package in ("torch", "numpy", "safetensors", "click", "rich"):
        try:
            rows.append((package, True, version(package)))
        except PackageNotFoundError:
            rows.append((package, False, f"not installed: pip install {package}"))
    return rows


def _course(course_dir: Path | None) -> list[tuple[str, bool, str]]:
    try:
        course = get_course(course_dir)
        key = public_key(course)
    except CourseError as error:
        return [("course", False, str(error))]
    rows = [
        ("course", True, f"{key.title} {key.version}, {len(key.exercises)} exercises in {course.exercises}"),
        ("solutions", True, str(course.solutions_path or "none here, as for every learner")),
    ]
    try:
        installed = version("torch").split("+")[0]
    except PackageNotFoundError:
        return rows
    same = installed == key.torch
    text = f"drawn with torch {key.torch}" + (
        "" if same else f", installed is {installed}: fine unless a check surprises you"
    )
    return [*rows, ("answer key", True, text)]


def _worker() -> list[tuple[str, bool, str]]:
    """Run a tiny submission in a real worker."""
    from ..engine import Limits, run_submission
    from ..submission import Submission

    start = time.perf_counter()
    run = run_submission(Submission("doctor", {"probe.py": "print('ready')"}), (), Limits(), topics=("probe.py",))
    seconds = time.perf_counter() - start
    report = run.modules.get("probe.py")
    if run.fault or report is None or report.error is not None:
        return [("worker", False, f"{run.fault or 'it does not answer'}: does `python -c 'import torch'` work?")]
    layers = ", ".join(f"{layer} {state}" for layer, state in run.isolation.items())
    return [("worker", True, f"answers in {seconds:.1f} s"), ("limits", True, layers)]
