"""Files of text that appear as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..course import CourseError
from ..whole import write_whole


class CannotWrite(CourseError):
    """A file or folder that cannot be written, in one line that says what to do."""


def replace_file(path: Path, pieces: Iterable[str]) -> int:
    """Write `pieces` to `path` as a whole -> the size in bytes."""
    try:
        return write_whole(path, (piece.encode("utf-8", "backslashreplace") for piece in pieces))
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}. Name another with --out") from None
