"""`kata doctor`: whether this machine can do what the program needs, tried for real."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from rich.console import Console

from ..course.find import find_course
from ..errors import KataError
from ..sandbox.layers import in_force, sandbox_exists
from ..sandbox.start import any_workers, report_of
from ..sandbox.workers import EngineError
from .keys import public_key
from .options import course_option

if TYPE_CHECKING:
    from ..sandbox.probes import Probe


@click.command()
@course_option
@click.pass_context
def doctor(ctx: click.Context, course_dir: Path | None) -> None:
    """Test this installation: packages, course, answer key, and a worker that is really run.

    On Linux, where all of that works, each layer that confines a submission is attacked as well.

    Exit code 0 when nothing that is needed is missing, 2 otherwise.
    """
    from rich.table import Table
    from rich.text import Text

    from .screens import console

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
    out = console()
    out.print(table)
    fine = all(fine for _, fine, _ in rows)
    if not sandbox_exists():
        out.print("\nNo sandbox on this system: `kata check` runs your own code with limits; `kata grade` needs Linux.")
    elif fine:
        fine = _show_layers(out)
    ctx.exit(0 if fine else 2)


def _show_layers(out: Console) -> bool:
    """The layers that confine a submission, each tried -> whether all that `kata grade` needs hold."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from ..sandbox.layers import REQUIRED

    layers = _layers()
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for column in ("", "layer", "tried, with this layer alone", "state", "stops"):
        table.add_column(column)
    for layer, holds, state, tried, stops in layers:
        mark = Text("✓", "green") if holds else Text("✗", "red" if layer in REQUIRED else "yellow")
        table.add_row(mark, layer, tried, Text(state), Text(stops, "dim"))
    out.print()
    out.print(table)
    lost = [layer for layer, holds, *_ in layers if layer in REQUIRED and not holds]
    verdict = f"cannot confine submissions here: {', '.join(lost)}" if lost else "can confine submissions here"
    out.print(f"`kata grade` {verdict}.")
    return not lost


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
        course = find_course(course_dir)
        key = public_key(course)
    except KataError as error:
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
        "" if same else f", but {installed} is installed: fine unless a check surprises you"
    )
    return [*rows, ("answer key", True, text)]


def _worker() -> list[tuple[str, bool, str]]:
    """Run a tiny submission in a real worker."""
    start = time.perf_counter()
    try:
        with any_workers() as workers:
            files = report_of(workers)["files"]
    except EngineError as error:
        return [("worker", False, f"{error}: does `python -c 'import torch'` work?")]
    seconds = time.perf_counter() - start
    unconfined = "" if in_force(files) or not sandbox_exists() else f", not confined ({files})"
    return [("worker", True, f"answers in {seconds:.1f} s{unconfined}")]


def _layers() -> list[tuple[str, bool, str, str, str]]:
    """(layer, whether it holds, state, what was tried, what it stops) of each layer of confinement."""
    from ..sandbox.layers import LAYERS
    from ..sandbox.probes import probe_layers

    return [(f.layer, f.holds, _state(f), LAYERS[f.layer].tried, LAYERS[f.layer].stops) for f in probe_layers()]


def _state(finding: Probe) -> str:
    if in_force(finding.state) and finding.through:
        return f"on, but the probe got through: {finding.through}"
    return finding.state
