"""How much of an archive is read at most, and what a member is to whoever reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ...messages.said import Said

CHUNK = 1 << 20


@dataclass(frozen=True)
class Bounds:
    """How large an archive may be: the class's own, or one inside of it."""

    members: int
    unpacked: int  # bytes of a tar once it is uncompressed


CLASS = Bounds(members=300_000, unpacked=8 << 30)
NESTED = Bounds(members=5_000, unpacked=64 << 20)
Entry = tuple[str, str | Said, datetime | None, Callable[[int], bytes]]  # name, kind or why refused, date, read
