"""What a worker is, however it is started, and what all ways of starting one share."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from typing import Protocol

PYTHON = (sys.executable, "-P", "-B", "-m")
MEMORY_MB = 2048  # a submission may use beyond what torch uses
MEMORY_LIMIT_MB = MEMORY_MB if sys.platform == "linux" else None  # no other system keeps it
ENGINE_DIED = -1000  # in place of an exit code: the process that started the worker is gone
START_SECONDS = 120.0  # until a worker, which imports torch first, has answered
Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)  # one that opens no descriptor of its own
FRESH = "a fresh process"  # why a worker has no sandbox
TOTAL_SECONDS = 3600  # of processor time of one worker; each check has its own, much shorter limit


def readable(source: int | socket.socket, seconds: float) -> bool:
    """Whether there is something to read, or the end, within `seconds`; for descriptors over 1023 too."""
    with Selector() as selector:
        selector.register(source, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def last_line(said: bytes | bytearray) -> str:
    """The last line of what a process of ours has said, as of a traceback; or ""."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines()]
    return next(filter(None, reversed(lines)), "")[:300]


class EngineError(Exception):
    """No worker can be had on this machine now; the message says why."""


@dataclass(frozen=True)
class Memory:
    """What is known of the memory of a worker that has ended."""

    most_mb: int | None = None  # in use at a time, beyond what it began with
    none_left: bool = False  # the system ended a process for want of memory while it ran


class Worker(Protocol):
    """A started process that answers one job: the seam between how it is started and how it is used."""

    connection: socket.socket
    output: int  # descriptor to read what the submission prints
    memory: Memory  # complete after `wait`

    def kill(self) -> None: ...

    def wait(self) -> int:
        """The exit code, negative for a signal.  Only after `kill` or when the connection has closed.

        May be called again, as after an interruption.
        """
        ...

    def settle(self) -> None:
        """It is done, or was killed: return when what it has printed can be read."""
        ...

    def leave(self) -> None:
        """End it; that it has ended is waited for here, or by who started it."""
        ...


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads a session, and what it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    except PermissionError:  # macOS, for a group of zombies
        process.kill()


def environment() -> dict[str, str]:
    """A clean environment; what is kept is needed to find the interpreter's packages.

    One thread: a process that has others cannot be forked, and results must not depend on their number.
    """
    kept = {
        name: os.environ[name] for name in ("PATH", "PYTHONPATH", "PYTHONUSERBASE", "SYSTEMROOT") if name in os.environ
    }
    home = os.environ.get("HOME")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    fixed = {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}
    return kept | ({"HOME": home} if home else {}) | threads | fixed
