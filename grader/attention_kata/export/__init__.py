"""Grades in the formats of other programs.  This module is light: it only says which formats there are."""

from __future__ import annotations

from dataclasses import dataclass


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
