"""Which function makes which format, and how its bytes get to where they should be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from ..whole import write_whole
from . import canvas, classroom, gradescope, junit, moodle, objects, package, table
from .request import BadExport, Request

PRODUCERS: dict[str, Callable[[Request], Iterable[bytes]]] = {
    "csv": table.students,
    "checks": table.checks,
    "json": objects.objects,
    "canvas": canvas.canvas,
    "moodle": moodle.worksheet,
    "moodle-gradebook": moodle.gradebook,
    "gradescope": gradescope.gradescope,
    "gradescope-autograder": package.autograder,
    "classroom": classroom.classroom,
    "junit": junit.junit,
}


def export(name: str, request: Request, out: str) -> None:
    """Make the format `name`; the file is complete or not there.  `-` is standard output."""
    try:
        write(PRODUCERS[name](request), out)
    finally:
        request.close()


def write(data: Iterable[bytes], out: str) -> None:
    """Write all of `data` to the file `out`, or nothing; BadExport when it cannot be written."""
    if out == "-":
        for part in data:
            sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()
        return
    path = Path(out)
    try:
        write_whole(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> BadExport:
    return BadExport(f"{path} cannot be written: {error.strerror}. Name another file with --out")
