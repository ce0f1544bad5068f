"""A fresh worker: `python -m attention_kata.worker FD MEMORY_MB TOTAL_SECONDS` answers one job on descriptor FD.

Where no zygote can be had (macOS, Windows): limits, but no sandbox, and it says so.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

import torch

from . import system
from .answer import answer
from .light import keep_compiler_out
from .limits import limit_process
from .observe import start_meta_device


def main(fd: int, memory_mb: int, total_seconds: int) -> None:
    with suppress(OSError):  # elsewhere than on Linux, limits alone end what its parent has left behind
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    torch.set_num_threads(1)
    keep_compiler_out()
    start_meta_device()
    states = limit_process(memory_mb, total_seconds)
    off = [f"{name} {state}" for name, state in states.items() if state != "on"]
    answer(fd, {"session": "on", "limits": "off: " + ", ".join(off) if off else "on", "files": "off: a fresh process"})
    os._exit(0)  # threads and exit handlers of the submission are not waited for


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
