"""What the start of the program and slow imports share.  Light: it is loaded before anything else."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(BaseException):
    """The system asks the program to end."""


@contextmanager
def loading() -> Iterator[None]:
    """What comes into being meanwhile stays: looking through it for garbage, again and again, takes long.

    Importing torch and what draws a key takes 1.45 times the processor time without this, `kata check` of one exercise,
    where another process imports torch, 1.08 times (medians of 12 pairs in turn).
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
