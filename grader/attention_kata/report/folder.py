"""A folder of feedback: a page for each student, and an index that says which is whose."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..files import CannotWrite, replace_file
from ..gradebook.grades import Grades
from ..gradebook.standing import Standing, standings
from ..tables import lines, safe
from .feedback import Feedback, feedback_for
from .markdown import as_markdown
from .page import page

MARKER = ".attention-kata-feedback"
MARKED = "Made by `kata feedback`, which may write here again.\n"
ENDINGS = {"html": ".html", "markdown": ".md"}
PAGE = re.compile(r"[a-z0-9_~-]+\.(?:html|md)")  # never a path


def write_feedback(
    grades: Grades,
    out: Path,
    forms: Sequence[str],
    only: Collection[str] | None = None,
    tick: Callable[[], Any] = lambda: None,
) -> int:
    """Write `forms` for everybody, or for the ids in `only` -> for how many.  `tick` is called after each.

    Pages of an earlier run that the index named, and names no longer, go: their students are called otherwise now.
    """
    _own_folder(out)
    before = _indexed(out)
    key = grades.key()
    title = key.title if key else "Feedback"
    written, rows = 0, []
    for row in standings(grades):
        if only is None or row.id in only:
            _write(out, row, feedback_for(row, title), forms)
            written += 1
            tick()
        rows.append(_index_row(out, row))
    index = lines([["id", "name", "status", *ENDINGS], *rows], bom=True)  # the mark by which Excel reads UTF-8
    replace_file(out / "index.csv", index)
    for name in before - {name for row in rows for name in row[3:]}:
        with suppress(OSError):
            os.unlink(out / name)
    return written


def _own_folder(out: Path) -> None:
    """Make the folder ours.  Refuse one that holds something else: nothing of it is touched or mixed up."""
    try:
        if out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file():
            raise CannotWrite(f"{out} holds other files: name a new or empty folder with --out")
        out.mkdir(parents=True, exist_ok=True)
        (out / MARKER).write_text(MARKED, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(f"{out} cannot be used: {error.strerror}. Name another folder with --out") from None


def _write(out: Path, row: Standing, feedback: Feedback, forms: Sequence[str]) -> None:
    stem = file_stem(row.id)
    for form, ending in ENDINGS.items():
        path = out / (stem + ending)
        if form not in forms:
            with suppress(OSError):  # of an earlier run: two grades for one student would not do
                os.unlink(path)
        elif form == "html":
            replace_file(path, page("feedback.html.jinja", styles=("base.css", "feedback.css"), feedback=feedback))
        else:
            replace_file(path, [as_markdown(feedback)])


def _indexed(out: Path) -> set[str]:
    """The pages that the index of an earlier run names; nothing else is ours."""
    try:
        with (out / "index.csv").open(encoding="utf-8-sig", newline="") as file:
            named = {name for row in csv.reader(file) for name in row[3:]}
    except (OSError, ValueError, csv.Error):
        return set()
    return {name for name in named if PAGE.fullmatch(name)}


def _index_row(out: Path, row: Standing) -> list[str]:
    stem = file_stem(row.id)
    files = [stem + ending if (out / (stem + ending)).exists() else "" for ending in ENDINGS.values()]
    return [safe(row.id), safe(row.name), row.status, *files]


PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
RESERVED = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")  # what Windows keeps for devices
DIGITS = 20


def file_stem(id: str) -> str:
    """The name without its ending.

    An id of small letters, digits, `-` and `_` is its own name.  Of any other, what is left of it is followed by
    `~` and a hash of it: so no two ids meet, not even where a file system takes `Ada` and `ada` for the same.
    """
    if PLAIN.fullmatch(id) and not RESERVED.fullmatch(id):
        return id
    letters = unicodedata.normalize("NFKD", id[:200]).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:30] or "student"
    return f"{readable}~{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:DIGITS]}"
