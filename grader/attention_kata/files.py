"""Files that appear as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from errno import EINVAL
from pathlib import Path

from .course import CourseError


class CannotWrite(CourseError):
    """A file or folder that cannot be written, in one line that says what to do."""


def replace_file(path: Path, pieces: Iterable[str | bytes], option: str = "--out") -> int:
    """Write `pieces` beside `path` and put them in its place when they are complete -> the size in bytes.

    `option` is what names another file.
    """
    temporary = path.with_name(path.name + ".part") if path.name else path
    try:
        if path.exists() and not path.is_file():  # nor is /dev/null to be replaced
            raise OSError(EINVAL, "it is a folder" if path.is_dir() else "it is no regular file")
        with temporary.open("wb") as file:
            for piece in pieces:
                file.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace"))
            size = file.tell()
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise CannotWrite(f"{path} cannot be written: {error.strerror}. Name another with {option}") from None
        raise
    return size
