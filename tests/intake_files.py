"""Archives and notebooks as students and platforms make them, and as nobody should."""

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
import zlib

from attention_kata.messages.render import INSTRUCTOR, render

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def zip_bytes(files, compression=zipfile.ZIP_DEFLATED):
    """A zip of names (or ZipInfo) and contents, in order, twice the same name too."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, content)
    return buffer.getvalue()


def zip_info(name, mode=0o100644, date=(2026, 10, 1, 12, 0, 0)):
    info = zipfile.ZipInfo(name, date)
    info.external_attr = mode << 16
    info.create_system = 3
    return info


def raw_zip(*members):
    """A zip written byte by byte: members are dicts of name (bytes), data, and whatever is to be a lie."""
    body, directory = b"", b""
    for member in members:
        name, data = member["name"], member.get("data", b"")
        packed = zlib.compressobj(9, zlib.DEFLATED, -15)
        stored = member.get("packed") or packed.compress(data) + packed.flush()
        size, flags = member.get("size", len(data)), member.get("flags", 0)
        method, crc = member.get("method", 8), member.get("crc", zlib.crc32(data))
        common = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 0x5B41, crc, len(stored), size, len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += b"PK\3\4" + common + name + stored
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + b"PK\5\6" + end


def tar_bytes(files, packing=""):
    """A tar of names and contents; a TarInfo in the place of a name is written as it is."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items() if isinstance(files, dict) else files:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return PACK[packing](buffer.getvalue())


def tar_info(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def notebook(*cells, **more):
    """A notebook of format 4; a cell is its source, or all of it."""
    made = [cell if isinstance(cell, dict) else {"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made, **more}).encode()


def noted(intake):
    """What an instructor reads of what was left out of a class, or of what one student handed in."""
    return tuple(render(note, INSTRUCTOR) for note in intake.notes)
