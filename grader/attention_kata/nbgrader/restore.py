"""What a student handed in, put in order as nbgrader itself would: its cells back in place, without old output.

Every difference from the released notebook is noted in words, for the instructor's report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..intake.notebooks.parse import MAX_NOTEBOOK, Cell, read_notebook
from ..intake.tree import Unreadable
from ..text import plain

PICTURES = ("image/png", "image/jpeg", "image/gif")
METADATA = ("kernelspec", "language_info")
MAX_NAMED = 8
NO_NOTEBOOK = "it is not a notebook that Jupyter can open"
JsonCell = dict[str, Any]  # of format 4


@dataclass(frozen=True)
class Source:
    """A cell of the released notebook, as the gradebook holds it."""

    id: str
    cell_type: str
    source: str
    locked: bool
    grade: bool
    solution: bool
    task: bool
    points: float | None
    checksum: str | None

    @property
    def marks(self) -> dict[str, Any]:
        facts = {
            "schema_version": 3,
            "grade_id": self.id,
            "grade": self.grade,
            "locked": self.locked,
            "solution": self.solution,
            "task": self.task,
            "cell_type": self.cell_type,
        }
        return (
            facts
            | ({"points": self.points} if self.points is not None else {})
            | ({"checksum": self.checksum} if self.checksum else {})
        )


class NotRestored(Exception):
    """Why a notebook cannot be shown in nbgrader; what it defines may still have been graded."""


def restored(
    data: bytes, sources: Sequence[Source], kernelspec: Mapping[str, Any] | None, exercises: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The notebook (format 4) with the cells of `sources` in place, and notes on what was not as released."""
    metadata, found, notes = _read(data)
    if not metadata.get("kernelspec"):
        notes.append("it names no kernel: the released one is used")
    order = _dedupe(found, {source.id for source in sources}, notes)
    known = {source.id: source for source in sources}
    cells = [_restored_cell(cell, known, notes) for cell in found]
    _add_missing(cells, sources, notes)
    if order != [source.id for source in sources if source.id in order]:
        notes.append("its cells are in another order: the order does not matter here")
    notes += _defined_twice(found, exercises)
    kept = {name: metadata[name] for name in METADATA if isinstance(metadata.get(name), dict)}
    if not isinstance(kept.get("language_info", {}).get("name"), str):  # a notebook that Jupyter would refuse
        kept.pop("language_info", None)
    kept |= {"kernelspec": dict(kernelspec)} if kernelspec else {}
    return {"cells": cells, "metadata": kept, "nbformat": 4, "nbformat_minor": 4}, notes


def id_of(cell: Mapping[str, Any]) -> str:
    """nbgrader's id of a cell, "" for one that has none."""
    marks = cell["metadata"].get("nbgrader")
    return str(marks.get("grade_id", "")) if isinstance(marks, dict) else ""


def _read(data: bytes) -> tuple[Mapping[str, Any], list[JsonCell], list[str]]:
    """(metadata, cells, notes), whatever format the notebook has."""
    try:
        notebook = read_notebook(data)
    except Unreadable as reason:
        raise NotRestored(f"it {reason}" if len(data) > MAX_NOTEBOOK else NO_NOTEBOOK) from None
    if notebook.version is None or not all(cell.sound for cell in notebook.cells):
        raise NotRestored(NO_NOTEBOOK)
    old = notebook.version < 4
    notes = [f"it was saved by an old Jupyter (format {notebook.version}), and was converted"] if old else []
    return notebook.metadata, [_clean(cell) for cell in notebook.cells], notes


def _clean(cell: Cell) -> JsonCell:
    """What is kept of a cell."""
    text = (cell.source or "").encode("utf-8", "backslashreplace").decode()  # half a character cannot be written
    kept = {"cell_type": cell.kind, "source": text, "metadata": dict(cell.metadata)}
    return kept | ({} if cell.attachments is None else {"attachments": cell.attachments})


def _dedupe(cells: list[JsonCell], known: set[str], notes: list[str]) -> list[str]:
    """Take the marks off cells that are copies (the last one counts) or of no known id -> ids in their order."""
    counts = Counter(id for cell in cells if (id := id_of(cell)))
    copied = [id for id, count in counts.items() if count > 1 and id in known]
    if copied:
        notes.append(f"copied cells, of which the last one counts: {_named(copied)}")
    unknown = [id for id in counts if id not in known]
    if unknown:
        notes.append(f"cells that this assignment does not have: {_named(unknown)}")
    seen: list[str] = []
    for cell in reversed(cells):
        id = id_of(cell)
        if id in seen or id not in known:
            cell["metadata"].pop("nbgrader", None)
        else:
            seen.append(id)
    return seen[::-1]


def _restored_cell(cell: JsonCell, known: Mapping[str, Source], notes: list[str]) -> JsonCell:
    source = known.get(id_of(cell))
    if source is None:
        return _with_pictures(_cell(cell["cell_type"], cell["source"], {}), cell)
    text = cell["source"]
    if source.locked and text != source.source:
        if text.strip() != source.source.strip() and not source.id.endswith("-hidden"):  # which the student never saw
            notes.append(f"the locked cell {source.id} was changed: the released one was put back")
        text = source.source
    return _with_pictures(_cell(source.cell_type, text, {"nbgrader": source.marks}), cell)


def _with_pictures(cell: JsonCell, original: JsonCell) -> JsonCell:
    """The pictures that a text cell brings along, such as a photographed derivation."""
    attached = original.get("attachments")
    if cell["cell_type"] == "markdown" and isinstance(attached, dict):
        kept = {
            name: {kind: data for kind, data in bundle.items() if kind in PICTURES and isinstance(data, str)}
            for name, bundle in attached.items()
            if isinstance(bundle, dict)
        }
        cell["attachments"] = {name: bundle for name, bundle in kept.items() if bundle}
    return cell


def _cell(cell_type: str, text: str, metadata: dict[str, Any]) -> JsonCell:
    """A new cell, without output and without any other metadata."""
    kind = cell_type if cell_type in ("code", "markdown") else "raw"
    more: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": metadata, "source": text, **more}


def _add_missing(cells: list[JsonCell], sources: Sequence[Source], notes: list[str]) -> None:
    """Put cells that were deleted behind the one they follow in the released notebook."""
    there = {id_of(cell) for cell in cells}
    missing = [source for source in sources if source.id not in there]
    if missing:
        notes.append(f"deleted cells, put back: {_named([source.id for source in missing])}")
    for number, source in enumerate(sources):
        if source in missing:
            before = sources[number - 1].id if number else ""
            place = next((i + 1 for i, cell in enumerate(cells) if before and id_of(cell) == before), 0)
            text = source.source if source.locked else "# This cell was deleted."
            cells.insert(place, _cell(source.cell_type, text, {"nbgrader": source.marks}))


def _defined_twice(cells: Sequence[JsonCell], exercises: Sequence[str]) -> list[str]:
    """Functions of exercises that more than one cell of the student's defines."""
    notes = []
    for name in exercises:
        pattern = re.compile(rf"^(?:async +)?(?:def|class)[ \t]+{re.escape(name)}\b", re.MULTILINE)
        where = [
            str(number)
            for number, cell in enumerate(cells, 1)
            if cell["cell_type"] == "code" and pattern.search(cell["source"])
        ]
        if len(where) > 1:
            notes.append(f"{name} is defined in the cells {', '.join(where)}: the last one is graded")
    return notes


def _named(ids: Sequence[str]) -> str:
    more = len(ids) - MAX_NAMED
    return ", ".join(plain(id) for id in ids[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
