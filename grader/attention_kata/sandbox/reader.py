"""Reading what a worker sends: frames and printed output, both bounded; and why one ended."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from safetensors.numpy import load

from ..key.model import Array
from ..messages.said import Said, said
from .observation import Lost, Malformed, Outcome
from .workers import MEMORY_LIMIT_MB, MEMORY_MB, Memory, Selector, Worker, readable

HEAD_BYTES = 5
MAX_REPLY = 8 << 20
MAX_TEXT = 1 << 20  # of a reply's JSON, and
MAX_NAMES = 1 << 16  # of what its numbers are called: objects of Python take many times the bytes of their text
MAX_OUTPUT = 64 << 10
NEARLY_ALL = 0.9  # of the memory that a submission may use: who ends by a signal then has run out of it
BAD_ALLOC = b"std::bad_alloc"  # what C++ says before it aborts
MAX_LAST_WORDS = 1000
WINDOWS_EXCEPTIONS = 0xC0000000  # where there are no signals: exit codes from here on


class Reader:
    """Frames from the connection while the submission's output is drained, both bounded."""

    def __init__(self, worker: Worker, printed: bytearray):
        self.connection, self.output, self.printed = worker.connection, worker.output, printed
        self.buffer = bytearray()
        self.printing = True
        self.selector = Selector()
        self.selector.register(self.connection, selectors.EVENT_READ)
        self.selector.register(self.output, selectors.EVENT_READ)

    def frame(self, deadline: float) -> tuple[bytes, bytes]:
        """The next frame.  TimeoutError, EOFError, or Malformed for one that is too large."""
        while True:
            if len(self.buffer) >= HEAD_BYTES:
                length = int.from_bytes(self.buffer[1:HEAD_BYTES], "little")
                if length > MAX_REPLY:
                    raise Malformed("a reply that is too large")
                if len(self.buffer) >= HEAD_BYTES + length:
                    kind = bytes(self.buffer[:1])
                    payload = bytes(self.buffer[HEAD_BYTES : HEAD_BYTES + length])
                    del self.buffer[: HEAD_BYTES + length]
                    return kind, payload
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            for ready, _ in self.selector.select(left):
                if ready.fd == self.output:
                    self._print()
                    continue
                chunk = self.connection.recv(1 << 18)
                if not chunk:
                    raise EOFError
                self.buffer += chunk

    def _print(self) -> None:
        chunk = _read(self.output)
        self.printed += chunk[: max(0, MAX_OUTPUT - len(self.printed))]
        if not chunk:
            self.selector.unregister(self.output)
            self.printing = False

    def drain(self) -> None:
        """What is in the pipe now; a process that keeps writing is not waited for."""
        for _ in range(64):
            if not self.printing or not readable(self.output, 0):
                return
            self._print()


def _read(output: int) -> bytes:
    if os.name == "posix":
        return os.read(output, 1 << 16)
    with socket.socket(fileno=output) as said:  # where a socket is not a file descriptor
        try:
            return said.recv(1 << 16)
        finally:
            said.detach()


def parse(payload: bytes) -> tuple[Any, Mapping[str, Array]]:
    """The only parser that meets bytes from a worker.  Malformed for anything that is not a frame's payload."""
    length = int.from_bytes(payload[:4], "little")
    names = int.from_bytes(payload[4 + length : 12 + length], "little")  # how safetensors begins
    if length > MAX_TEXT or names > MAX_NAMES:
        raise Malformed("a reply whose description is too large")
    try:
        return json.loads(payload[4 : 4 + length]), load(payload[4 + length :])
    except Exception as error:  # whatever a parser says of forged bytes, it is about this submission alone
        raise Malformed(f"a reply that cannot be read ({type(error).__name__})") from None


@dataclass(frozen=True)
class End:
    """How a worker ended, and in what."""

    code: int
    memory: Memory
    said: bytes  # what it printed
    place: str = ""  # the function or class that it was calling; "" where a file was imported


def cause_of(problem: BaseException, end: End, seconds: float) -> Lost:
    """Why a worker ended before its time."""
    if isinstance(problem, TimeoutError):
        return Lost(Outcome.TIMEOUT, said("stopped", seconds=seconds))
    if isinstance(problem, Malformed):
        return Lost(Outcome.CRASHED, said("reply-not-understood", text=str(problem)))
    if end.code == -getattr(signal, "SIGXCPU", 24):
        return Lost(Outcome.TIMEOUT, said("processor-time", seconds=seconds))
    return Lost(Outcome.CRASHED, _crash(end))


def _crash(end: End) -> Said:
    if end.code >= WINDOWS_EXCEPTIONS:
        return said("crashed-by", signal=f"{end.code:#x}", exercise=end.place)
    if end.code >= 0:
        return said("exited-early", exercise=end.place)
    if no_memory := _no_memory(end):
        return said("no-memory", exercise=end.place, inner=no_memory)
    if end.code == -getattr(signal, "SIGKILL", 9):  # by whom is not known, and it may have been innocent
        return said("killed", exercise=end.place)
    name = signal.Signals(-end.code).name if -end.code in list(signal.Signals) else f"signal {-end.code}"
    return said("crashed-by", signal=name, exercise=end.place)


def _no_memory(end: End) -> Said | None:
    """What shows that a signal ended a worker because it had no memory left; None when nothing does."""
    if end.code == -getattr(signal, "SIGKILL", 9):
        return said("system-had-none", limit=MEMORY_LIMIT_MB) if end.memory.none_left else None
    if end.code == -signal.SIGABRT and BAD_ALLOC in end.said[-MAX_LAST_WORDS:]:
        return said("allocation-failed", limit=MEMORY_LIMIT_MB)
    most = end.memory.most_mb
    if most is not None and most >= NEARLY_ALL * MEMORY_MB:
        return said("had-used", megabytes=most, limit=MEMORY_LIMIT_MB)
    return None
