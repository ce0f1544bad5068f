"""What one student handed in: files read from a folder, an archive or a notebook, bounded, as text."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from tokenize import detect_encoding

from ..messages.render import render
from ..messages.said import Said, said
from .tree import Folder, Tree, Unreadable, walk


@dataclass(frozen=True)
class Problem:
    """Why a topic file, or one exercise of it, could not be read."""

    message: Said
    hint: Said | None = None
    line: int | None = None


@dataclass(frozen=True)
class CellMap:
    """Where each line of a notebook's code came from: `cells` has (cell, line in it), both counted from 1.

    All cells count, text cells too, from the top.
    """

    cells: tuple[tuple[int, int], ...]

    def where(self, line: int) -> tuple[int, int]:
        """(cell, line in it) of a line of the code."""
        return self.cells[min(max(line, 1), len(self.cells)) - 1] if self.cells else (0, 0)


MAX_BYTES = 1_000_000  # of one file
MAX_FILES = 200
MAX_OTHER_BYTES = 2_000_000  # of all files beside the topic files together


@dataclass(frozen=True)
class Submission:
    """`files` maps names relative to the folder to source text.

    `problems` says why a topic file is not among them, or, by the name of an exercise, why that exercise is
    not; `missing` are the topic files of which there is nothing at all; `notes` what was chosen or left out while
    reading; `notebooks` which topic files were made of notebooks, so that their lines can be told by cell.
    """

    name: str
    files: Mapping[str, str]
    _: KW_ONLY
    problems: Mapping[str, Problem] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    notes: tuple[Said, ...] = ()
    notebooks: Mapping[str, CellMap] = field(default_factory=dict)

    @property
    def unread(self) -> tuple[Said, ...]:
        """Why what is there could not be read, and what was left out; what reads the same, once."""
        found = (problem.message for topic, problem in self.problems.items() if topic not in self.missing)
        return tuple({render(message): message for message in (*found, *self.notes)}.values())

    def line_of(self, file: str, name: str) -> int | None:
        """The line where function or class `name` begins."""
        found = re.search(
            rf"^(?:async +)?(?:def|class)[ \t]+{re.escape(name)}\b", self.files.get(file, ""), re.MULTILINE
        )
        return self.files[file].count("\n", 0, found.start()) + 1 if found else None


def read_submission(folder: Path | Tree, topics: tuple[str, ...], name: str = "") -> Submission:
    """Read the topic files of `folder`, and the other Python files they may import."""
    tree = Folder(folder) if isinstance(folder, Path) else folder
    files: dict[str, str] = {}
    problems: dict[str, Problem] = {}
    for topic in topics:
        text = _read(tree, topic)
        if isinstance(text, Problem):
            problems[topic] = text
        else:
            files[topic] = text
    left = MAX_OTHER_BYTES
    others = (path for path in walk(tree) if path.endswith(".py") and path not in files and path not in problems)
    for path, _ in zip(others, range(MAX_FILES), strict=False):
        text = _read(tree, path)
        if not isinstance(text, Problem) and len(text) <= left and len(files) < MAX_FILES:
            files[path] = text
            left -= len(text)
    missing = frozenset(topic for topic in problems if not tree.exists(topic))
    return Submission(name or tree.name, files, problems=problems, missing=missing)


def _read(tree: Tree, name: str) -> str | Problem:
    shown = tree.shown(name)
    try:
        data = tree.read(name, MAX_BYTES)
    except Unreadable as error:
        return _problem(tree.name, name, shown, error)
    if len(data) > MAX_BYTES:
        message = said("file-large", shown=shown, file=name, limit=MAX_BYTES // 1_000_000)
        return Problem(message, said("hint-only-source"))
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return Problem(said("file-nul", shown=shown, file=name, line=line), said("hint-plain-text"), line)
    try:
        text = source_text(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem(said("file-encoding", shown=shown, file=name, line=line), said("hint-encoding"), line)
    if not text.strip():
        return Problem(said("file-empty", shown=shown, file=name), said("hint-restore", file=name))
    return text


def bounded(notes: Sequence[Said], most: int, more: str = "and-more") -> tuple[Said, ...]:
    """The first notes; where there are more than `most`, the last one says how many."""
    left = len(notes) - most
    return (*notes[:most], *([said(more, number=left)] if left > 0 else []))


def source_text(data: bytes) -> str:
    """Python source as text: UTF-8, or what it declares (PEP 263), as Python reads it.  UnicodeDecodeError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        with suppress(SyntaxError, LookupError, UnicodeError):
            encoding, _ = detect_encoding(io.BytesIO(data).readline)
            return data.decode(encoding)
        raise


# What is wrong with a file of the topic's name: the message, and what to do.
WRONG = {
    "missing": ("file-missing", "hint-restore"),
    "is-folder": ("file-is-folder", "hint-rename-folder"),
    "is-special": ("file-special", "hint-rename"),
    "is-link": ("file-link", "hint-put-file"),
}


def _problem(holder: str, name: str, shown: str | Said, error: Unreadable) -> Problem:
    if error.wrong.template in WRONG:
        message, hint = WRONG[error.wrong.template]
        return Problem(said(message, shown=shown, file=name, holder=holder), said(hint, file=name))
    return Problem(said("file-refused", shown=shown, file=name, inner=error.wrong), error.hint)
