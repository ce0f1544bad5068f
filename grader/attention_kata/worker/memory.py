"""The zygote's memory, put in order before children share it: each page that one of them is the first to write to
is copied, for some microseconds.

Without this, all checks of a right answer to the course take 1.18 times the processor time, those of one exercise 1.1
times, with what the zygote takes for each child in it (medians of 11 pairs in turn).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import takewhile

LARGEST, SMALLEST, STEP = 1 << 15, 2, 16  # bytes in a block; glibc's sizes are 16 apart


class _MallInfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
                     "keepcost")
    ]  # fmt: skip


def fill_holes() -> list[object]:
    """Take what is free between things in memory -> what holds it, to be kept.

    What children make then lies together, above everything else, in few pages.
    """
    try:
        top = _top_of_heap()
    except AttributeError:  # another C library than glibc, or an old one
        return []
    filling: list[object] = []
    for size in range(LARGEST + SMALLEST, 0, -STEP):
        filling += takewhile(lambda block: id(block) < top, _blocks(size))
    filling += takewhile(lambda block: id(block) < top, iter(object, None))  # smaller than any block of bytes
    return filling


def _blocks(size: int) -> Iterator[bytes]:
    while True:
        yield bytes(size)


def _top_of_heap() -> int:
    """The address above which nothing has been given out yet."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _MallInfo2
    libc.sbrk.restype, libc.sbrk.argtypes = ctypes.c_void_p, [ctypes.c_ssize_t]
    end: int = libc.sbrk(0)
    return end - int(libc.mallinfo2().keepcost)
