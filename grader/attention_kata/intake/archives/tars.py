"""The members of a tar: tarfile lists them, what it would let through is refused here."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import BinaryIO

from ...messages.said import Said, said
from ..tree import Unreadable
from .bounds import CHUNK, NESTED, Bounds, Entry

MAX_MEMORY = 128 << 20  # of xz; its strongest setting takes 65 MB


def tar_entries(file: BinaryIO) -> Iterator[Entry]:
    lock = threading.Lock()  # members are read from several threads through one file
    with tarfile.open(fileobj=file, mode="r:", errors="surrogateescape") as archive:
        last = -1
        while (member := archive.next()) is not None:
            if member.size < 0 or member.offset_data <= last:
                raise Unreadable(said("members-overlap"))
            last = member.offset_data
            yield member.name, _kind(member), _date(member), _reader(file, lock, member)


def _kind(member: tarfile.TarInfo) -> str | Said:
    """file, folder, or why the member is refused."""
    if member.isdir():
        return "folder"
    if member.issym() or member.islnk():
        return said("member-link")
    if member.issparse():
        return said("member-sparse")
    return "file" if member.isreg() else said("member-device")


def _date(member: tarfile.TarInfo) -> datetime | None:
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(member.mtime, UTC) if member.mtime > 0 else None
    return None


def _reader(file: BinaryIO, lock: threading.Lock, member: tarfile.TarInfo) -> Callable[[int], bytes]:
    start, size = member.offset_data, member.size

    def read(most: int) -> bytes:
        with lock:
            file.seek(start)
            data = file.read(min(most, size))
        if len(data) < min(most, size):
            raise EOFError
        return data

    return read


def _whole(chunks: Iterable[bytes], most: int) -> BinaryIO:
    """All of it in a file without a name; in memory while it is small."""
    whole = tempfile.SpooledTemporaryFile(max_size=NESTED.unpacked)  # noqa: SIM115  the archive keeps it
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise Unreadable(said("unpacks-too-large", limit=most >> 20))
        whole.write(chunk)
    whole.seek(0)
    return whole  # type: ignore[return-value]


def _gzip(file: BinaryIO) -> Iterator[bytes]:
    with gzip.open(file) as unpacked:
        yield from iter(lambda: unpacked.read(CHUNK), b"")


def _bzip2(file: BinaryIO) -> Iterator[bytes]:
    with bz2.open(file) as unpacked:
        yield from iter(lambda: unpacked.read(CHUNK), b"")


def _xz(file: BinaryIO) -> Iterator[bytes]:
    """By hand, since lzma.open has no limit for the memory that a file may ask for: up to 4 GB."""
    unpacker = lzma.LZMADecompressor(memlimit=MAX_MEMORY)
    while not unpacker.eof:
        packed = file.read(CHUNK) if unpacker.needs_input else b""
        if unpacker.needs_input and not packed:
            raise EOFError
        yield unpacker.decompress(packed, CHUNK)


UNPACKERS: Mapping[bytes, Callable[[BinaryIO], Iterator[bytes]]] = {
    b"\x1f\x8b": _gzip,
    b"BZh": _bzip2,
    b"\xfd7zXZ\0": _xz,
}


def unpacked(file: BinaryIO, start: bytes, bounds: Bounds) -> BinaryIO | None:
    """A compressed tar, uncompressed, since its members cannot be reached otherwise; None when it is not one."""
    for magic, unpack in UNPACKERS.items():
        if start.startswith(magic):
            return _whole(unpack(file), bounds.unpacked)
    return None
