"""The entry point: what takes longest, importing torch, begins before the command line is even read.

Whenever the program is interrupted, also now, it says so in one line and leaves no process behind.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

from .isolation import sandbox_exists


class Terminated(BaseException):
    """The system asks the program to end."""


def main() -> None:
    """The program `kata`, see attention_kata.cli.  Exit code 130 after Ctrl-C, 143 when the system ends it."""
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where somebody asked to ignore it
        signal.signal(signal.SIGINT, _interrupt)
    zygote = None
    try:
        if sys.argv[1:2] == ["check"] and not {"-h", "--help"} & set(sys.argv) and sandbox_exists():
            from .warm import Zygote

            zygote = Zygote()
        from .cli import main as run

        run(zygote)
    except KeyboardInterrupt:
        print("kata: stopped; your files are as they were.", file=sys.stderr)
        sys.exit(130)
    except Terminated:
        print("kata: ended; your files are as they were.", file=sys.stderr)
        sys.exit(143)
    finally:
        if zygote is not None:
            zygote.close()


def _terminate(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: the end is not to be interrupted
    raise Terminated


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # the end is not to be interrupted either
    raise KeyboardInterrupt
