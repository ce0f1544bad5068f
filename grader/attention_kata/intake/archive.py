"""Archives read in place: zip and tar, whose every byte may have been made to do harm.

Nothing is unpacked to files of its own.  A member that is refused is told in one line; the others stay.
A compressed tar is unpacked once into a nameless temporary file, since its members cannot be reached otherwise.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO

from ..submission import MOST_BYTES
from ..tree import Node, Unreadable
from .words import plain

SUFFIXES = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz")
MOST_NAME = 1000  # characters of a member's name
MOST_FOLDERS = 20  # in one name
MOST_RATIO = 200  # times that a large member may grow
UNPACKERS: Mapping[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
CHUNK = 1 << 20
ENTRY, ENTRY_BYTES = b"PK\x01\x02", 46  # of zip's directory
UTF8_FLAG, ENCRYPTED_FLAG = 0x800, 0x1


class Refused(Exception):
    """Why an archive, or one member of it, is not read."""


@dataclass(frozen=True)
class Bounds:
    """How large an archive may be: the class's own, or one inside of it."""

    members: int
    unpacked: int  # bytes of a tar once it is uncompressed


CLASS = Bounds(members=300_000, unpacked=8 << 30)
NESTED = Bounds(members=5_000, unpacked=64 << 20)
Entry = tuple[str, str, "datetime | None", Callable[[int], bytes]]  # name, kind or why refused, date, read


class Archive:
    """A zip or tar as a tree.  `notes` has one line for each member that was refused."""

    def __init__(self, name: str, entries: Iterator[Entry], most: int):
        self.name = name
        self.notes: list[str] = []
        self._files: dict[str, tuple[datetime | None, Callable[[int], bytes]]] = {}
        self._folders: dict[str, dict[str, str]] = {"": {}}
        for count, (raw, kind, date, read) in enumerate(entries):
            if count >= most:
                raise Refused(f"holds more than {most:,} members")
            try:
                self._add(raw, kind, date, read)
            except Refused as reason:
                self.notes.append(f"{plain(raw)} in {plain(name)}: {reason}; left out.")

    def _add(self, raw: str, kind: str, date: datetime | None, read: Callable[[int], bytes]) -> None:
        path = checked_name(raw)
        if kind == "folder":
            self._make(path)
        elif kind != "file":
            raise Refused(kind)
        elif path in self._folders:
            raise Refused("a file and a folder of one name")
        else:
            folder, _, name = path.rpartition("/")
            self._make(folder)
            twice = path in self._files
            self._folders[folder][name] = "file"
            self._files[path] = date, read
            if twice:  # what unpacking would leave
                raise Refused("an earlier member of the same name (the last one counts)")

    def _make(self, folder: str) -> None:
        """Make a folder and those that it is in."""
        parent = ""
        for part in folder.split("/") if folder else ():
            path = f"{parent}/{part}" if parent else part
            if path in self._files:
                raise Refused("a file and a folder of one name")
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
            raise Unreadable("folder")
        if name not in self._files:
            raise Unreadable("missing")
        try:
            return self._files[name][1](most + 1)
        except Exception:  # whatever a parser says of forged bytes, it is about this member alone
            raise Unreadable("refused", "is damaged: the archive does not hold what it declares") from None

    def shown(self, name: str) -> str:
        return name

    def dated(self, name: str) -> datetime | None:
        return self._files[name][0] if name in self._files else None


def checked_name(raw: str) -> str:
    """A member's name with "/" between folders.  Refused when it leads elsewhere or cannot be a name."""
    name = raw.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise Refused("an absolute path")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused("a path that leads out of the archive")
    if not parts:
        raise Refused("a member without a name")
    if "\0" in name:
        raise Refused("a name with a NUL byte")
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise Refused("a name that is not UTF-8")
    if len(name) > MOST_NAME or len(parts) > MOST_FOLDERS:
        raise Refused("a name that is too long")
    return "/".join(parts)


def open_archive(file: BinaryIO, name: str, bounds: Bounds) -> Archive:
    """Open a zip or a tar by what its bytes say.  Refused, in words, when it cannot be read."""
    start = file.read(512)
    file.seek(0)
    try:
        if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return Archive(name, _zip_entries(file, bounds), bounds.members)
        for magic, unpack in UNPACKERS.items():
            if start.startswith(magic):
                return Archive(name, _tar_entries(_unpacked(unpack(file), bounds.unpacked)), bounds.members)
        if start[257:262] == b"ustar" or not start.strip(b"\0"):
            return Archive(name, _tar_entries(file), bounds.members)
    except Refused:
        raise
    except Exception:  # whatever a parser says of forged bytes
        raise Refused("is damaged, or no archive") from None
    raise Refused("is neither a zip nor a tar")


def _unpacked(packed: BinaryIO, most: int) -> BinaryIO:
    """A compressed tar, uncompressed; in memory while it is small."""
    whole = tempfile.SpooledTemporaryFile(max_size=NESTED.unpacked)  # noqa: SIM115  the archive keeps it
    size = 0
    while chunk := packed.read(CHUNK):
        size += len(chunk)
        if size > most:
            raise Refused(f"unpacks to more than {most >> 20} MB")
        whole.write(chunk)
    whole.seek(0)
    return whole  # type: ignore[return-value]


# ---------------------------------------------------------------------- zip


def _zip_entries(file: BinaryIO, bounds: Bounds) -> Iterator[Entry]:
    _count(file, bounds.members)
    try:
        archive = zipfile.ZipFile(file)
    except UnicodeDecodeError:
        archive = zipfile.ZipFile(_without_utf8_flags(file))
    for info in archive.infolist():
        yield _zip_name(info), _zip_kind(info), _zip_date(info), _zip_reader(archive, info)


def _count(file: BinaryIO, most: int) -> None:
    """Refuse a directory that is too long before zipfile makes objects of it."""
    count, kept = 0, b""
    while chunk := file.read(CHUNK):
        count += (kept + chunk).count(ENTRY)
        kept = chunk[-3:]
        if count > most:
            raise Refused(f"holds more than {most:,} members")
    file.seek(0)


def _without_utf8_flags(file: BinaryIO) -> BinaryIO:
    """A copy whose names do not claim to be UTF-8 where they are not: zipfile gives up on the whole otherwise."""
    file.seek(0)
    data = bytearray(file.read(CLASS.unpacked))
    place = data.find(ENTRY)
    while place >= 0:
        if len(data) >= place + ENTRY_BYTES:
            (flags,), (length,) = struct.unpack_from("<H", data, place + 8), struct.unpack_from("<H", data, place + 28)
            name = bytes(data[place + ENTRY_BYTES : place + ENTRY_BYTES + length])
            if name.decode("utf-8", "replace").encode("utf-8") != name:
                struct.pack_into("<H", data, place + 8, flags & ~UTF8_FLAG)
        place = data.find(ENTRY, place + 1)
    return io.BytesIO(data)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name as UTF-8, which many programs write without saying so; lone surrogates where it is not."""
    if info.flag_bits & UTF8_FLAG:
        return info.filename
    with suppress(UnicodeEncodeError):
        return info.filename.encode("cp437").decode("utf-8", "surrogateescape")
    return info.filename


def _zip_kind(info: zipfile.ZipInfo) -> str:
    """file, folder, or why the member is refused."""
    mode = info.external_attr >> 28  # the upper four bits of Unix's file mode
    if mode == 0xA:
        return "a link"
    if info.is_dir() or mode == 0x4:
        return "folder"
    if mode not in (0, 0x8):
        return "a device or a pipe"
    if info.flag_bits & ENCRYPTED_FLAG:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "packed in a way that is not read here (store or deflate is)"
    if info.file_size > MOST_BYTES and info.file_size > MOST_RATIO * info.compress_size:
        return f"unpacks to more than {MOST_RATIO} times its size"
    return "file"


def _zip_date(info: zipfile.ZipInfo) -> datetime | None:
    """Zip keeps no time zone: what it says is taken for UTC.  1980 is how programs say that they do not know."""
    if info.date_time[0] <= 1980:
        return None
    with suppress(ValueError):
        return datetime(*info.date_time, tzinfo=UTC)
    return None


def _zip_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with archive.open(info) as member:  # stops at what is declared, and then compares the checksum
            return member.read(most)

    return read


# ---------------------------------------------------------------------- tar


def _tar_entries(file: BinaryIO) -> Iterator[Entry]:
    lock = threading.Lock()  # members are read from several threads through one file
    with tarfile.open(fileobj=file, mode="r:", errors="surrogateescape") as archive:
        last = -1
        while (member := archive.next()) is not None:
            if member.size < 0 or member.offset_data <= last:
                raise Refused("is damaged: its members overlap")
            last = member.offset_data
            yield member.name, _tar_kind(member), _tar_date(member), _tar_reader(file, lock, member)


def _tar_kind(member: tarfile.TarInfo) -> str:
    if member.isdir():
        return "folder"
    if member.issym() or member.islnk():
        return "a link"
    if member.issparse():
        return "a sparse file"
    return "file" if member.isreg() else "a device or a pipe"


def _tar_date(member: tarfile.TarInfo) -> datetime | None:
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(member.mtime, UTC) if member.mtime > 0 else None
    return None


def _tar_reader(file: BinaryIO, lock: threading.Lock, member: tarfile.TarInfo) -> Callable[[int], bytes]:
    start, size = member.offset_data, member.size

    def read(most: int) -> bytes:
        with lock:
            file.seek(start)
            data = file.read(min(most, size))
        if len(data) < min(most, size):
            raise EOFError
        return data

    return read
