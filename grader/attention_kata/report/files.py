"""Files that appear as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..course import CourseError


class CannotWrite(CourseError):
    """A file or folder that cannot be written, in one line that says what to do."""


def replace_file(path: Path, pieces: Iterable[str]) -> int:
    """Write `pieces` beside `path` and put them in its place when they are complete -> the size in bytes."""
    temporary = path.with_name(path.name + ".part")
    try:
        with temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(pieces)
        size = temporary.stat().st_size
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise CannotWrite(f"{path} cannot be written: {error.strerror}. Name another with --out") from None
        raise
    return size
