"""Files that appear as a whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, pieces: Iterable[bytes]) -> int:
    """Write `pieces` beside `path` and put them in its place when they are complete -> the size in bytes.

    A link keeps pointing where it does.  What is no regular file, such as /dev/stdout or a pipe, cannot be put in
    place of anything, and is written into.  OSError when it cannot be written.
    """
    if path.is_dir():  # the empty name too, which is the folder here
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if _is_special(path):
        with path.open("wb") as file:
            return _write(file.write, pieces)
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    temporary = target.with_name(f"{target.name}.part")
    try:
        with temporary.open("wb") as file:
            size = _write(file.write, pieces)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    return size


def _is_special(path: Path) -> bool:
    """Whether something other than a file is there.  What is not there is not."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode)


def _write(write: Callable[[bytes], int], pieces: Iterable[bytes]) -> int:
    return sum(write(piece) for piece in pieces)
