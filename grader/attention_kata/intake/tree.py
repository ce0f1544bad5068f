"""What holds a submission's files: a folder on disk, an archive, or files put together from several places.

Names are relative, with "/" between folders.  Whoever reads says how much at most.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ..messages.render import render
from ..messages.said import Said, said

MAX_DEPTH = 4  # folders in folders
MAX_WALKED = 20_000  # names of one submission that are looked at


class Unreadable(Exception):
    """Why a file cannot be read: what is wrong with it, to be said after its name, and what to do."""

    def __init__(self, wrong: Said, hint: Said | None = None):
        super().__init__(render(wrong))
        self.wrong, self.hint = wrong, hint


@dataclass(frozen=True)
class Node:
    """One name in a folder: `kind` is file, folder, link or special."""

    name: str
    kind: str


class Tree(Protocol):
    """Files in folders."""

    @property
    def name(self) -> str: ...

    def nodes(self, folder: str = "") -> Iterable[Node]:
        """What is directly in `folder`."""

    def exists(self, name: str) -> bool:
        """Whether there is anything of that name, readable or not."""

    def read(self, name: str, most: int) -> bytes:
        """The first `most` + 1 bytes of a file, so that one that is too long can be told.  May raise Unreadable."""

    def shown(self, name: str) -> str | Said:
        """What to call a file when speaking to people."""

    def dated(self, name: str) -> datetime | None:
        """The date that an archive gives for a file; a folder on disk knows none."""


@dataclass(frozen=True)
class Folder:
    """A folder on disk.  A file may be a link as long as it stays inside."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)

    def nodes(self, folder: str = "") -> Iterator[Node]:
        try:
            with os.scandir(self.path / folder) as entries:
                for entry in entries:
                    yield Node(entry.name, _kind(entry))
        except OSError:
            return

    def exists(self, name: str) -> bool:
        try:
            return (self.path / name).exists()
        except OSError:
            return True  # whoever reads it learns why not

    def read(self, name: str, most: int) -> bytes:
        path = self.path / name
        try:
            if not path.exists():
                raise Unreadable(said("missing"))
            if path.is_dir():
                raise Unreadable(said("is-folder"))
            if not path.is_file():
                raise Unreadable(said("is-special"))
            if not path.resolve().is_relative_to(self.path.resolve()):
                raise Unreadable(said("is-link"))
            with path.open("rb") as file:
                return file.read(most + 1)
        except OSError as error:
            raise Unreadable(said("cannot-be-read", text=error.strerror or ""), said("hint-permissions")) from None

    def shown(self, name: str) -> str:
        return name

    def dated(self, name: str) -> datetime | None:
        return None


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_symlink():
            return "link"
        if entry.is_dir():
            return "folder"
        return "file" if entry.is_file() else "special"
    except OSError:
        return "special"


@dataclass(frozen=True)
class Subtree:
    """One folder of another tree, under a name of its own."""

    whole: Tree
    folder: str
    name: str

    def _in(self, name: str) -> str:
        return f"{self.folder}/{name}" if name else self.folder

    def nodes(self, folder: str = "") -> Iterable[Node]:
        return self.whole.nodes(self._in(folder))

    def exists(self, name: str) -> bool:
        return self.whole.exists(self._in(name))

    def read(self, name: str, most: int) -> bytes:
        return self.whole.read(self._in(name), most)

    def shown(self, name: str) -> str:
        return name

    def dated(self, name: str) -> datetime | None:
        return self.whole.dated(self._in(name))


@dataclass(frozen=True)
class Piece:
    """A file of another tree, or `data` in its place, that is called `shown` before people."""

    tree: Tree
    path: str
    shown: str | Said
    data: bytes | None = None


@dataclass(frozen=True)
class Collection:
    """Files of other trees under new names."""

    name: str
    pieces: Mapping[str, Piece] = field(default_factory=dict)

    def nodes(self, folder: str = "") -> Sequence[Node]:
        start = f"{folder}/" if folder else ""
        below = [name[len(start) :] for name in self.pieces if name.startswith(start)]
        folders = {name.split("/", 1)[0] for name in below if "/" in name}
        return [*(Node(name, "folder") for name in folders), *(Node(name, "file") for name in below if "/" not in name)]

    def exists(self, name: str) -> bool:
        return name in self.pieces

    def read(self, name: str, most: int) -> bytes:
        if name not in self.pieces:
            raise Unreadable(said("missing"))
        piece = self.pieces[name]
        return piece.tree.read(piece.path, most) if piece.data is None else piece.data[: most + 1]

    def shown(self, name: str) -> str | Said:
        return self.pieces[name].shown if name in self.pieces else name

    def dated(self, name: str) -> datetime | None:
        piece = self.pieces.get(name)
        return piece.tree.dated(piece.path) if piece else None


def walk(tree: Tree) -> Iterator[str]:
    """Names of all files, without what nobody hands in on purpose: hidden, caches, virtual environments.

    Files before folders, in the order of their names; links to folders are not followed.
    """
    left = MAX_WALKED
    waiting: list[tuple[str, int]] = [("", 0)]
    while waiting:
        folder, depth = waiting.pop()
        nodes = []
        for node in tree.nodes(folder):
            left -= 1
            if left < 0:
                return
            nodes.append(node)
        if folder and any(node.name == "pyvenv.cfg" for node in nodes):
            continue
        inside = []
        for node in sorted(nodes, key=lambda node: node.name):
            path = f"{folder}/{node.name}" if folder else node.name
            if is_left_out(node.name):
                continue
            if node.kind in ("file", "link"):
                yield path
            elif node.kind == "folder" and depth < MAX_DEPTH:
                inside.append((path, depth + 1))
        waiting += reversed(inside)


def is_left_out(name: str) -> bool:
    """Whether a file or folder is what systems and tools leave behind."""
    return name.startswith((".", "__pycache__", "__MACOSX")) or name in ("site-packages", "node_modules")
