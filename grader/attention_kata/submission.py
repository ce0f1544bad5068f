"""What one student handed in: files read from a folder, bounded, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .diagnose import Problem

MOST_BYTES = 1_000_000  # of one file
MOST_FILES = 200
MOST_OTHER_BYTES = 2_000_000  # of all files beside the topic files together
MOST_DEPTH = 4


@dataclass(frozen=True)
class Submission:
    """`files` maps names relative to the folder to source text; `problems` says why a topic file is not among them."""

    name: str
    files: Mapping[str, str]
    problems: Mapping[str, Problem] = field(default_factory=dict)

    def line_of(self, file: str, name: str) -> int | None:
        """The line where function or class `name` begins."""
        found = re.search(
            rf"^(?:async +)?(?:def|class)[ \t]+{re.escape(name)}\b", self.files.get(file, ""), re.MULTILINE
        )
        return self.files[file].count("\n", 0, found.start()) + 1 if found else None


def read_submission(folder: Path, topics: tuple[str, ...], name: str = "") -> Submission:
    """Read the topic files of `folder`, and the other Python files they may import."""
    files: dict[str, str] = {}
    problems: dict[str, Problem] = {}
    for topic in topics:
        text = _read(folder, topic)
        if isinstance(text, Problem):
            problems[topic] = text
        else:
            files[topic] = text
    left = MOST_OTHER_BYTES
    for path in _python_files(folder):
        relative = path.relative_to(folder).as_posix()
        if relative not in files and relative not in problems and len(files) < MOST_FILES:
            text = _read(folder, relative)
            if not isinstance(text, Problem) and len(text) <= left:
                files[relative] = text
                left -= len(text)
    return Submission(name or folder.name, files, problems)


def _python_files(folder: Path, depth: int = 0) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if path.name.startswith((".", "__pycache__")) or path.name == "site-packages" or _is_environment(path):
            continue
        if path.suffix == ".py":
            yield path
        elif depth < MOST_DEPTH and path.is_dir() and not path.is_symlink():
            yield from _python_files(path, depth + 1)


def _is_environment(path: Path) -> bool:
    """Whether this is a virtual environment, whose packages are nobody's answer."""
    try:
        return (path / "pyvenv.cfg").exists()
    except OSError:
        return False


def _read(folder: Path, name: str) -> str | Problem:
    path = folder / name
    restore = f"`kata reset {name}` brings the stub back."
    try:
        if not path.exists():
            return Problem("error", f"{name} is missing from {folder.name or folder}.", restore)
        if path.is_dir():
            return Problem("error", f"{name} is a folder; a file was expected.", f"Rename the folder, then {restore}")
        if not path.is_file():
            return Problem("error", f"{name} is not a regular file.", f"Rename it, then {restore}")
        if not path.resolve().is_relative_to(folder.resolve()):
            return Problem("error", f"{name} is a link that leads out of the folder.", "Put the file itself there.")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return Problem("error", f"{name} cannot be read: {error.strerror}.", "Check its permissions.")
    if len(data) > MOST_BYTES:
        return Problem(
            "error", f"{name} is larger than {MOST_BYTES // 1_000_000} MB.", "Only Python source belongs in it."
        )
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return Problem("error", f"{name} holds a NUL byte on line {line}.", "Save it as plain UTF-8 text.", line)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem("error", f"{name} is not UTF-8 text: line {line}.", "Save it with the encoding UTF-8.", line)
    if not text.strip():
        return Problem("error", f"{name} is empty.", restore)
    return text
