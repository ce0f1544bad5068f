"""How a worker is started.  Light to import: `kata check` starts one before anything else."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Worker(Protocol):
    """A started process that answers one job: the seam between how it is started and how it is used."""

    connection: socket.socket
    output: int  # descriptor to read what the submission prints

    def kill(self) -> None: ...

    def wait(self) -> int:
        """The exit code, negative for a signal.  Only after `kill` or when the connection has closed."""
        ...


class FreshProcess:
    """A worker in a new Python process, in a session of its own."""

    def __init__(self) -> None:
        self.connection, theirs = socket.socketpair()
        self.output, write = os.pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-B", "-m", "attention_kata.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=write,
                stderr=write,
                pass_fds=[theirs.fileno()],
                env=_environment(),
                cwd="/",
                start_new_session=True,
            )
        os.close(write)

    def kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        except PermissionError:  # macOS, for a group of zombies
            self._process.kill()

    def wait(self) -> int:
        """Wait a moment for the process to end by itself, then end it; nothing of its group is left."""
        try:
            code = self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        self.kill()
        self.connection.close()
        os.close(self.output)
        return code


def _environment() -> dict[str, str]:
    """A clean environment; what is kept is needed to find the interpreter's packages."""
    kept = {
        name: os.environ[name] for name in ("PATH", "PYTHONPATH", "PYTHONUSERBASE", "SYSTEMROOT") if name in os.environ
    }
    home = os.environ.get("HOME")
    return kept | ({"HOME": home} if home else {}) | {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}


@contextmanager
def started_early() -> Iterator[Callable[[], Worker]]:
    """A worker that imports torch while the caller prepares: the first call of what is yielded gives it."""
    early: list[Worker] = [FreshProcess()]
    try:
        yield lambda: early.pop() if early else FreshProcess()
    finally:
        for unused in early:
            unused.kill()
            unused.wait()
