"""Grades in the formats of other programs.  This module is light: it only says which formats there are.

Imported by the command line and by nbgrader's plugins.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ..files import CannotWrite, replace_file
from . import canvas, classroom, gradescope, junit, moodle, objects, package, table
from .request import Request


@dataclass(frozen=True)
class Format:
    """What `kata export --help` says of a format, and which options it takes beside --db and --out."""

    says: str
    options: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()


def _format(says: str, options: str = "", needs: str = "") -> Format:
    return Format(says, frozenset(f"{options} {needs}".split()), frozenset(needs.split()))


FORMATS = {
    "csv": _format("a table with one row for each student", "bom"),
    "checks": _format("a table with one row for each check of each student", "bom"),
    "json": _format("everything, as one JSON object (schema 1)"),
    "canvas": _format("the CSV that Canvas exported (--into), filled in", "", "into column"),
    "moodle": _format("Moodle's offline grading worksheet (--into), filled in", "column", "into"),
    "moodle-gradebook": _format("a CSV for Moodle's grade import, users by --user", "into column user"),
    "gradescope": _format("Gradescope's results.json for one student", "student from"),
    "gradescope-autograder": _format("autograder.zip, with which Gradescope grades by itself", "key package"),
    "classroom": _format("GitHub Classroom's result for one student, in base64", "student from"),
    "junit": _format("JUnit XML for the class, or for one student", "student from"),
}

MAX_HELD = 8 << 20  # bytes that wait in memory

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
        with tempfile.SpooledTemporaryFile(MAX_HELD) as whole:
            for part in data:
                whole.write(part)
            whole.seek(0)
            shutil.copyfileobj(whole, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    replace_file(Path(out), data)
