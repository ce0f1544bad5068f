"""Archives read in place, whose every byte may have been made to do harm.

Nothing is unpacked to files of its own.  A member that is refused is told in one line; the others stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import BinaryIO

from ...messages.said import Said, said
from ...text import plain
from ..tree import Node, Unreadable
from .bounds import Bounds, Entry
from .tars import tar_entries, unpacked
from .zips import zip_entries

SUFFIXES = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz")
MAX_NAME = 1000  # characters of a member's name
MAX_FOLDERS = 20  # in one name


class Archive:
    """A zip or tar as a tree.  `notes` has one for each member that was refused."""

    def __init__(self, name: str, entries: Iterator[Entry], most: int):
        self.name = name
        self.notes: list[Said] = []
        self._files: dict[str, tuple[datetime | None, Callable[[int], bytes]]] = {}
        self._folders: dict[str, dict[str, str]] = {"": {}}
        for count, (raw, kind, date, read) in enumerate(entries):
            if count >= most:
                raise Unreadable(said("too-many-members", limit=f"{most:,}"))
            try:
                self._add(raw, kind, date, read)
            except Unreadable as reason:
                self.notes.append(said("member-left-out", shown=plain(raw), holder=plain(name), inner=reason.wrong))

    def _add(self, raw: str, kind: str | Said, date: datetime | None, read: Callable[[int], bytes]) -> None:
        path = checked_name(raw)
        if kind == "folder":
            self._make(path)
        elif isinstance(kind, Said):
            raise Unreadable(kind)
        elif path in self._folders:
            raise Unreadable(said("member-both"))
        else:
            folder, _, name = path.rpartition("/")
            self._make(folder)
            twice = path in self._files
            self._folders[folder][name] = "file"
            self._files[path] = date, read
            if twice:  # what unpacking would leave
                raise Unreadable(said("member-again"))

    def _make(self, folder: str) -> None:
        """Make a folder and those that it is in."""
        parent = ""
        for part in folder.split("/") if folder else ():
            path = f"{parent}/{part}" if parent else part
            if path in self._files:
                raise Unreadable(said("member-both"))
            if path not in self._folders:
                self._folders[path] = {}
                self._folders[parent][part] = "folder"
            parent = path

    def nodes(self, folder: str = "") -> Sequence[Node]:
        return [Node(name, kind) for name, kind in self._folders.get(folder, {}).items()]

    def exists(self, name: str) -> bool:
        return name in self._files or name in self._folders

    def read(self, name: str, most: int) -> bytes:
        if name in self._folders:
            raise Unreadable(said("is-folder"))
        if name not in self._files:
            raise Unreadable(said("missing"))
        try:
            return self._files[name][1](most + 1)
        except Exception:  # whatever a parser says of forged bytes, it is about this member alone
            raise Unreadable(said("damaged")) from None

    def shown(self, name: str) -> str:
        return name

    def dated(self, name: str) -> datetime | None:
        return self._files[name][0] if name in self._files else None


def checked_name(raw: str) -> str:
    """A member's name with "/" between folders.  Unreadable when it leads elsewhere or cannot be a name."""
    name = raw.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise Unreadable(said("member-absolute"))
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Unreadable(said("member-outside"))
    if not parts:
        raise Unreadable(said("member-nameless"))
    if "\0" in name:
        raise Unreadable(said("member-nul"))
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise Unreadable(said("member-not-utf8"))
    if len(name) > MAX_NAME or len(parts) > MAX_FOLDERS:
        raise Unreadable(said("member-long"))
    return "/".join(parts)


def open_archive(file: BinaryIO, name: str, bounds: Bounds) -> Archive:
    """Open a zip or a tar by what its bytes say.  Unreadable when it is none, or holds too much."""
    start = file.read(512)
    file.seek(0)
    try:
        if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return Archive(name, zip_entries(file, bounds), bounds.members)
        if (whole := unpacked(file, start, bounds)) is not None:
            return Archive(name, tar_entries(whole), bounds.members)
        if start[257:262] == b"ustar" or not start.strip(b"\0"):
            return Archive(name, tar_entries(file), bounds.members)
    except Unreadable:
        raise
    except Exception:  # whatever a parser says of forged bytes
        raise Unreadable(said("no-archive")) from None
    raise Unreadable(said("neither-zip-nor-tar"))
