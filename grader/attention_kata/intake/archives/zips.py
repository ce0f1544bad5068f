"""The members of a zip: zipfile lists and unpacks them, what it would let through is refused here."""

from __future__ import annotations

import io
import mmap
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import BinaryIO

from ...messages.said import Said, said
from ..submission import MAX_BYTES
from ..tree import Unreadable
from .bounds import CHUNK, Bounds, Entry

MAX_RATIO = 200  # times that a large member may grow
ENTRY, ENTRY_BYTES = b"PK\x01\x02", 46  # of zip's directory
UTF8_FLAG, ENCRYPTED_FLAG = 0x800, 0x1


def zip_entries(file: BinaryIO, bounds: Bounds) -> Iterator[Entry]:
    _count(file, bounds.members)
    try:
        archive = zipfile.ZipFile(file)
    except UnicodeDecodeError:
        archive = zipfile.ZipFile(_without_utf8_flags(file))
    for info in archive.infolist():
        yield _name(info), _kind(info), _date(info), _reader(archive, info)


def _count(file: BinaryIO, most: int) -> None:
    """Refuse a directory that is too long before zipfile makes objects of it."""
    count, kept = 0, b""
    while chunk := file.read(CHUNK):
        count += (kept + chunk).count(ENTRY)
        kept = chunk[-3:]
        if count > most:
            raise Unreadable(said("too-many-members", limit=f"{most:,}"))
    file.seek(0)


def _without_utf8_flags(file: BinaryIO) -> BinaryIO:
    """A copy whose names do not claim to be UTF-8 where they are not: zipfile gives up on the whole otherwise."""
    file.seek(0)
    data = bytearray(file.read()) if isinstance(file, io.BytesIO) else _Copy(file.fileno(), 0, access=mmap.ACCESS_COPY)
    place = data.find(ENTRY)
    while place >= 0:
        if len(data) >= place + ENTRY_BYTES:
            (flags,), (length,) = struct.unpack_from("<H", data, place + 8), struct.unpack_from("<H", data, place + 28)
            name = bytes(data[place + ENTRY_BYTES : place + ENTRY_BYTES + length])
            if name.decode("utf-8", "replace").encode("utf-8") != name:
                struct.pack_into("<H", data, place + 8, flags & ~UTF8_FLAG)
        place = data.find(ENTRY, place + 1)
    return io.BytesIO(data) if isinstance(data, bytearray) else data  # type: ignore[return-value]


class _Copy(mmap.mmap):
    """A file that is changed in memory only, page by page."""

    def seekable(self) -> bool:  # as a file is, and before Python 3.13 mmap does not say
        return True


def _name(info: zipfile.ZipInfo) -> str:
    """The name as UTF-8, which many programs write without saying so; lone surrogates where it is not."""
    if info.flag_bits & UTF8_FLAG:
        return info.filename
    with suppress(UnicodeEncodeError):
        return info.filename.encode("cp437").decode("utf-8", "surrogateescape")
    return info.filename


def _kind(info: zipfile.ZipInfo) -> str | Said:
    """file, folder, or why the member is refused."""
    mode = info.external_attr >> 28  # the upper four bits of Unix's file mode
    if mode == 0xA:
        return said("member-link")
    if info.is_dir() or mode == 0x4:
        return "folder"
    if mode not in (0, 0x8):
        return said("member-device")
    if info.flag_bits & ENCRYPTED_FLAG:
        return said("member-encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return said("member-packed")
    if info.file_size > MAX_BYTES and info.file_size > MAX_RATIO * info.compress_size:
        return said("member-grows", limit=MAX_RATIO)
    return "file"


def _date(info: zipfile.ZipInfo) -> datetime | None:
    """Zip keeps no time zone: what it says is taken for UTC.  1980 is how programs say that they do not know."""
    if info.date_time[0] <= 1980:
        return None
    with suppress(ValueError):
        return datetime(*info.date_time, tzinfo=UTC)
    return None


def _reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with archive.open(info) as member:  # stops at what is declared, and then compares the checksum
            return member.read(most)

    return read
