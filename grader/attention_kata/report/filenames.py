"""A file name for each student, safe on every file system whatever the id is, and always the same for the same id."""

from __future__ import annotations

import hashlib
import re
import unicodedata

PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
RESERVED = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")  # what Windows keeps for devices
DIGITS = 20


def file_stem(id: str) -> str:
    """The name without its ending.

    An id of small letters, digits, `-` and `_` is its own name.  Of any other, what is left of it is followed by
    `~` and a hash of it: so no two ids meet, not even where a file system takes `Ada` and `ada` for the same.
    """
    if PLAIN.fullmatch(id) and not RESERVED.fullmatch(id):
        return id
    letters = unicodedata.normalize("NFKD", id[:200]).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:30] or "student"
    return f"{readable}~{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:DIGITS]}"
