"""Grades in the formats of other programs.  This module is light: what makes a format is imported when it is made.

Imported by the command line and by nbgrader's plugins.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import CannotWrite, replace_file

if TYPE_CHECKING:
    from .request import Request

MAX_HELD = 8 << 20  # bytes that wait in memory


@dataclass(frozen=True)
class Format:
    """What `kata export --help` says of a format, and which options it takes beside --db and --out."""

    says: str
    made_by: str  # module and function of this package
    options: frozenset[str]
    needs: frozenset[str]

    def produce(self, request: Request) -> Iterable[bytes]:
        module, function = self.made_by.split(".")
        made: Iterable[bytes] = getattr(import_module(f".{module}", __name__), function)(request)
        return made


def _format(made_by: str, says: str, options: str = "", needs: str = "") -> Format:
    return Format(says, made_by, frozenset(f"{options} {needs}".split()), frozenset(needs.split()))


FORMATS = {
    "csv": _format("table.students", "a table with one row for each student", "bom"),
    "checks": _format("table.checks", "a table with one row for each check of each student", "bom"),
    "json": _format("objects.objects", "everything, as one JSON object (schema 2)"),
    "canvas": _format("canvas.canvas", "the CSV that Canvas exported (--into), filled in", "", "into column"),
    "moodle": _format("moodle.worksheet", "Moodle's offline grading worksheet (--into), filled in", "column", "into"),
    "moodle-gradebook": _format(
        "moodle.gradebook", "a CSV for Moodle's grade import, users by --user", "into column user"
    ),
    "gradescope": _format("gradescope.gradescope", "Gradescope's results.json for one student", "student from"),
    "gradescope-autograder": _format(
        "package.autograder", "autograder.zip, with which Gradescope grades by itself", "key package"
    ),
    "classroom": _format("classroom.classroom", "GitHub Classroom's result for one student, in base64", "student from"),
    "junit": _format("junit.junit", "JUnit XML for the class, or for one student", "student from"),
}


def export(name: str, request: Request, out: str) -> None:
    """Make the format `name`; the file is complete or not there.  `-` is standard output."""
    try:
        write(FORMATS[name].produce(request), out)
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
