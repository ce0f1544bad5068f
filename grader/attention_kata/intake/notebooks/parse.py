"""A notebook's file as cells, whatever Jupyter saved it: the one parser, for grading and for nbgrader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...messages.said import said
from ..tree import Unreadable

MAX_NOTEBOOK = 16 << 20  # bytes, with the pictures in it
MAX_LEVEL = 6  # of a heading


@dataclass(frozen=True)
class Cell:
    """A cell without its output; `source` is None where it has none that can be read."""

    kind: str  # code, markdown, raw, or whatever else it says
    source: str | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: Any = None
    sound: bool = True  # Jupyter, too, would open it

    @property
    def marks(self) -> Mapping[str, Any]:
        """What nbgrader has written on it."""
        return mapping(self.metadata, "nbgrader")


@dataclass(frozen=True)
class Notebook:
    """`version` is that of the format, None where it does not say."""

    version: int | None
    metadata: Mapping[str, Any]
    cells: tuple[Cell, ...]


def read_notebook(data: bytes) -> Notebook:
    """A notebook of format 2, 3 or 4.  Unreadable when it is none."""
    if len(data) > MAX_NOTEBOOK:
        raise Unreadable(said("too-large", limit=MAX_NOTEBOOK >> 20), said("hint-clear-output"))
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable(said("not-utf8")) from None
    except (ValueError, RecursionError, MemoryError):
        raise Unreadable(said("not-json")) from None
    cells = _cells(found) if isinstance(found, dict) else None
    if cells is None:
        raise Unreadable(said("no-cells"))
    version = found.get("nbformat")
    version = version if isinstance(version, int) else None
    old = version is not None and version < 4
    return Notebook(version, mapping(found, "metadata"), tuple(_cell(cell, old) for cell in cells))


def mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What stands under `name`, where that is an object."""
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _cells(notebook: Mapping[str, Any]) -> list[Any] | None:
    cells, sheets = notebook.get("cells"), notebook.get("worksheets")
    if cells is None and isinstance(sheets, list):  # before format 4
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    return cells if isinstance(cells, list) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _cell(cell: Any, old: bool) -> Cell:
    if not isinstance(cell, dict):
        return Cell("", None, sound=False)
    kind, source, metadata = cell.get("cell_type"), cell.get("source", cell.get("input")), cell.get("metadata")
    sound = isinstance(kind, str) and (not metadata or isinstance(metadata, dict))
    if isinstance(source, list):
        parts = [part for part in source if isinstance(part, str)]
        sound = sound and len(parts) == len(source)
        source = "".join(parts)
    text = source if isinstance(source, str) else None
    sound = sound and text is not None
    if old and kind == "heading":
        kind, text = "markdown", _heading(cell.get("level"), text or "")
    elif old and kind == "html":
        kind = "markdown"
    return Cell(str(kind), text, mapping(cell, "metadata"), cell.get("attachments"), sound)


def _heading(level: object, text: str) -> str:
    return f"{'#' * min(level if isinstance(level, int) else 1, MAX_LEVEL)} {' '.join(text.splitlines())}"
