"""Plugins for nbgrader's command line and configuration.

nbgrader export --exporter=attention_kata.nbgrader.plugins.KataExport --to grades.csv
nbgrader export --exporter=attention_kata.nbgrader.plugins.CanvasExport --CanvasExport.into=canvas.csv --to up.csv

c.AssignLatePenalties.plugin_class = "attention_kata.nbgrader.plugins.KataLate"
c.KataLate.policy = "per-day 10% cap 50%"
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbgrader.plugins import BasePlugin, ExportPlugin
from traitlets import TraitError, Unicode, validate

from ..errors import KataError
from ..export import FORMATS, export
from ..export.request import Request
from ..gradebook.late import BadPolicy, read_policy
from .rows import rows_of, the_assignment


class KataExport(ExportPlugin):
    """The formats of `kata export`, with the scores and penalties that nbgrader's gradebook holds."""

    format = Unicode("csv", help=f"one of {', '.join(FORMATS)}").tag(config=True)
    into = Unicode("", help="the platform's own file, to be filled in (canvas, moodle)").tag(config=True)
    column = Unicode("", help="the column of that file, where it is not clear").tag(config=True)

    def export(self, gradebook: Any) -> None:
        """Write one assignment; a mistake in what was asked for is one line and exit code 1."""
        try:
            if self.format not in FORMATS:
                raise KataError(f"there is no format {self.format!r}: the formats are {', '.join(FORMATS)}")
            assignment = the_assignment(gradebook, self.assignment)
            students = tuple(map(str, self.student))
            request = Request(
                into=Path(self.into) if self.into else None,
                column=self.column,
                say=self.log.warning,
                held=tuple(rows_of(gradebook, assignment, students, self._handed_in(assignment))),
            )
            export(self.format, request, self.to or f"grades.{'json' if self.format == 'json' else 'csv'}")
        except KataError as error:
            self.log.error("kata: %s", _here(str(error), type(self).__name__))
            raise SystemExit(1) from None

    def _handed_in(self, assignment: str) -> Callable[[str], bool]:
        """Whether a student's files are there: where the gradebook has none, they could not be graded, or not yet."""
        course = self.parent.coursedir
        return lambda student: Path(course.format_path(course.submitted_directory, student, assignment)).is_dir()


def _here(message: str, exporter: str) -> str:
    """Options are written here in another way than in `kata export`."""
    message = message.replace("--into ", f"--{exporter}.into=").replace("--column", f"--{exporter}.column")
    return message.replace("--student ID", "--student '[\"ID\"]'")


class ChecksExport(KataExport):
    """One row for each graded cell."""

    format = Unicode("checks").tag(config=True)


class JsonExport(KataExport):
    format = Unicode("json").tag(config=True)


class CanvasExport(KataExport):
    """Canvas's own file, filled in."""

    format = Unicode("canvas").tag(config=True)


class MoodleExport(KataExport):
    """Moodle's offline worksheet, filled in."""

    format = Unicode("moodle").tag(config=True)


class KataLate(BasePlugin):
    """The late policies of `kata due`, for `nbgrader autograde`."""

    policy = Unicode("none", help="none, 'per-day 10% cap 50%' or 'steps 1h 5%, 1d 20%'").tag(config=True)

    @validate("policy")
    def _readable(self, proposal: Any) -> str:
        try:
            read_policy(proposal["value"])
        except BadPolicy as error:
            raise TraitError(str(error)) from None
        return str(proposal["value"])

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """The points that lateness costs, None when it costs none."""
        return round(score * read_policy(self.policy).penalty(total_seconds_late), 6) or None
