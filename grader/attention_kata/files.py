"""Files that appear as a whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from .errors import KataError


class CannotWrite(KataError):
    """A file or folder that cannot be written, in one line that says what to do."""


def replace_file(path: Path, pieces: Iterable[str | bytes], option: str = "--out") -> int:
    """As `write_whole`; CannotWrite says which `option` names another file."""
    try:
        return write_whole(path, pieces)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}. Name another with {option}") from None


def write_whole(path: Path, pieces: Iterable[str | bytes], mode: int = 0o666) -> int:
    """Write `pieces` beside `path` and put them in its place when they are complete -> the size in bytes.

    A link keeps pointing where it does.  What is not a regular file, such as /dev/stdout or a pipe, cannot be put in
    place of anything, and is written into.  The new file is never readable for more people than `mode` and the umask
    say.  OSError when it cannot be written.
    """
    if path.is_dir():  # the empty name too, which is the folder here
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if _is_special(path):
        with path.open("wb") as file:
            return _write(file.write, pieces)
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    temporary = target.with_name(f"{target.name}.part")
    try:
        with suppress(FileNotFoundError):
            temporary.unlink()  # of a run that was killed, perhaps with another mode
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
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


def _write(write: Callable[[bytes], int], pieces: Iterable[str | bytes]) -> int:
    return sum(
        write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace")) for piece in pieces
    )
