"""The entry point: what takes longest, importing torch, begins before the command line is even read.

That is why `sys.argv` is looked at before click does: `kata check` of one exercise from a cold start takes 1.2 times as
long without it (the median of 12 pairs in turn).

Whenever the program is interrupted, also now, it says so in one line and leaves no process behind.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from .sandbox.layers import sandbox_exists
from .startup import Terminated, loading

if TYPE_CHECKING:
    from .sandbox.zygote import ZygoteClient


def main() -> None:
    """The program `kata`, see attention_kata.cli.  Exit code 130 after Ctrl-C, 143 when the system ends it."""
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where somebody asked to ignore it
        signal.signal(signal.SIGINT, _interrupt)
    zygote = None
    try:
        with loading():
            if sys.argv[1:2] in (["check"], ["grade"]) and not {"-h", "--help"} & set(sys.argv) and sandbox_exists():
                from .sandbox.zygote import ZygoteClient

                with suppress(OSError):  # is told by whoever needs one
                    zygote = ZygoteClient()
            from .cli import main as run

        run(zygote)
    except (KeyboardInterrupt, Terminated) as stopped:
        word, code = ("stopped", 130) if isinstance(stopped, KeyboardInterrupt) else ("ended", 143)
        _end(zygote, f"kata: {str(stopped) or f'{word}; your files are unchanged'}.", code)
    finally:
        _ignore_signals()
        if zygote is not None:
            zygote.close()


def _end(zygote: ZygoteClient | None, message: str, code: int) -> NoReturn:
    """End at once: Python forgets the code it is given when it was interrupted in an `exec`, as while importing."""
    if zygote is not None:
        zygote.close()
    with suppress(OSError, AttributeError):  # the streams may be closed, or None
        print(message, file=sys.stderr, flush=True)
        sys.stdout.flush()
    os._exit(code)


def _ignore_signals() -> None:
    """Once is enough: the end is not to be interrupted."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _terminate(number: int, frame: FrameType | None) -> None:
    _ignore_signals()
    raise Terminated


def _interrupt(number: int, frame: FrameType | None) -> None:
    _ignore_signals()
    raise KeyboardInterrupt
