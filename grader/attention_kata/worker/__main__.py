"""A fresh worker: `python -m attention_kata.worker WHERE MEMORY_MB TOTAL_SECONDS WHY` answers one job.

WHERE is a descriptor, or tcp:PORT of this machine, to be greeted with the word on standard input.  Where no
zygote can be had (macOS, Windows): limits, but no sandbox, and it says so, and WHY.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress

import torch

from . import system
from .answer import answer
from .confine import LAYERS, NO_THREADS_LIMIT
from .frames import Channel
from .light import keep_compiler_out
from .limits import limit_process
from .observe import start_meta_device

KILL = getattr(signal, "SIGKILL", 9)  # Windows has none


def main(where: str, memory_mb: int, total_seconds: int, why: str) -> None:
    isolation = dict.fromkeys(("processes", *LAYERS), f"off: {why}")
    with suppress(OSError):  # elsewhere than on Linux, limits alone end what its parent has left behind
        system.prctl(system.PR_SET_PDEATHSIG, KILL)
        isolation["parent"] = "on"
    torch.set_num_threads(1)
    keep_compiler_out()
    start_meta_device()
    states = limit_process(memory_mb, total_seconds)
    off = [f"{name} {state}" for name, state in states.items() if state != "on"]
    if os.name == "posix" and os.getsid(0) == os.getpid():
        isolation["session"] = "on"
    isolation["limits"] = f"off: {', '.join(off)}" if off else f"on ({NO_THREADS_LIMIT})"
    answer(_connect(where), isolation)
    os._exit(0)  # threads and exit handlers of the submission are not waited for


def _connect(where: str) -> Channel:
    if not where.startswith("tcp:"):
        return int(where)
    connection = socket.create_connection(("127.0.0.1", int(where.removeprefix("tcp:"))))
    connection.sendall(sys.stdin.readline().strip().encode())
    return connection


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
