"""Which function makes which format, and how its bytes get to where they should be."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from ..files import CannotWrite, replace_file
from . import canvas, classroom, gradescope, junit, moodle, objects, package, table
from .request import Request

MOST_HELD = 8 << 20  # bytes that wait in memory

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
    """Write all of `data` to the file `out`, or nothing."""
    if out == "-":
        if sys.stdout is None:
            raise CannotWrite("standard output is closed: name a file with --out")
        with tempfile.SpooledTemporaryFile(MOST_HELD) as whole:
            for part in data:
                whole.write(part)
            whole.seek(0)
            shutil.copyfileobj(whole, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    replace_file(Path(out), data)
