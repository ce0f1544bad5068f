"""A worker where no descriptor can be handed to a child (Windows): it connects back, a thread carries its output."""

from __future__ import annotations

import ctypes
import hmac
import os
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from ctypes import c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from .workers import (
    FRESH,
    MEMORY_MB,
    PYTHON,
    START_SECONDS,
    TOTAL_SECONDS,
    EngineError,
    Memory,
    environment,
    kill_group,
    last_line,
)

LOOK_SECONDS = 0.1  # between looks at whether a process that has not connected yet still runs
END_SECONDS = 2.0
WORD_SECONDS = 5.0  # for who has connected to say the word


class SpawnedProcess:
    """A worker in a new Python process; see attention_kata.sandbox.fresh.Worker.  Not to be used before `connect`.

    The child is told a port of this machine and, on its standard input, a word: who does not know the word
    is not a child of ours.  What it starts itself ends with it.
    """

    connection: socket.socket

    def __init__(self, why: str = FRESH) -> None:
        self._word = secrets.token_hex(16)
        self._server = socket.create_server(("127.0.0.1", 0))
        where = f"tcp:{self._server.getsockname()[1]}"
        self._process = subprocess.Popen(
            [*PYTHON, "attention_kata.worker", where, str(MEMORY_MB), str(TOTAL_SECONDS), why],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(),
            start_new_session=True,
        )
        self._job = None if os.name == "posix" else self._in_job()
        self._said: socket.socket | None = None
        self._over = False
        self.memory = Memory()
        self.then: Callable[[], None] = lambda: None  # when it has ended

    def connect(self) -> None:
        """Wait for the connection.  EngineError when the process ends without one, or takes too long."""
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as told:
            told.write(f"{self._word}\n".encode())
        with self._server as server:
            self.connection = accept(server, self._word, self._runs)
        self._said, theirs = socket.socketpair()
        self.output = self._said.fileno()
        self._carrier = threading.Thread(target=self._carry, args=(theirs,), daemon=True)
        self._carrier.start()

    def _in_job(self) -> JobObject:
        try:
            return JobObject(self._process)
        except OSError as error:
            self._process.kill()
            raise EngineError(f"what a worker starts could not be ended with it: {error.strerror}") from None

    def _runs(self) -> None:
        """EngineError with its last words when the process has ended."""
        if self._process.poll() is not None:
            assert self._process.stdout is not None
            said = last_line(self._process.stdout.read()) or f"exit code {self._process.returncode}"
            raise EngineError(f"the worker does not start: {said}")

    def _carry(self, to: socket.socket) -> None:
        """Bring what the process prints to where it is read."""
        assert self._process.stdout is not None
        with to, suppress(OSError):
            while chunk := self._process.stdout.read1(1 << 16):  # type: ignore[attr-defined]
                to.sendall(chunk)

    def kill(self) -> None:
        if self._job is None:
            kill_group(self._process)
        else:
            self._job.end()
            self._process.kill()

    def wait(self) -> int:
        """Wait a moment for the process to end by itself, then end it; nothing that it has started is left."""
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        if not self._over:
            self._over = True
            self.kill()
            if self._job is not None:
                self._job.close()
            self._server.close()
            if self._said is not None:
                self.connection.close()
                self._said.close()
            self.then()
        return code

    def settle(self) -> None:
        """Until its output ends; not for ever, as something else may hold it open."""
        self._carrier.join(END_SECONDS)

    def leave(self) -> None:
        self.kill()
        self.wait()


def accept(server: socket.socket, word: str, runs: Callable[[], None]) -> socket.socket:
    """The connection of the one who knows the word; `runs` raises when nobody will come any more."""
    server.settimeout(LOOK_SECONDS)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        runs()
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        connection.settimeout(WORD_SECONDS)
        with suppress(OSError):
            said = connection.recv(len(word), socket.MSG_WAITALL)
            if hmac.compare_digest(said, word.encode()):
                return connection
        connection.close()
    raise EngineError(f"the worker does not connect within {START_SECONDS:g} s")


EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
KILL_ON_CLOSE = 0x2000


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", c_int64), ("job_time", c_int64), ("flags", c_uint32), ("least_pages", c_size_t),
        ("most_pages", c_size_t), ("processes", c_uint32), ("affinity", c_size_t), ("priority", c_uint32),
        ("scheduling", c_uint32), ("io", c_uint64 * 6), ("memory", c_size_t * 4),
    )  # fmt: skip


class JobObject:
    """The job of a process that has just been started.  OSError where it cannot be had."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
        self._kernel.CreateJobObjectW.restype = c_void_p
        self._handle = c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = _Limits(flags=KILL_ON_CLOSE)
        self._must(
            self._kernel.SetInformationJobObject(
                self._handle, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
        )
        self._must(self._kernel.AssignProcessToJobObject(self._handle, c_void_p(int(process._handle))))  # type: ignore[attr-defined]

    def end(self) -> None:
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, 1)

    def close(self) -> None:
        """End what still runs, for good."""
        handle, self._handle = self._handle, c_void_p()
        if handle:
            self._kernel.CloseHandle(handle)

    @staticmethod
    def _must(done: int) -> None:
        if not done:
            raise ctypes.WinError(ctypes.get_last_error())  # type: ignore[attr-defined]
