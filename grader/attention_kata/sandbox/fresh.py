"""Workers in new processes, without a sandbox: slower, but to be had everywhere."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..worker.limits import oom_kills
from .workers import FRESH, MEMORY_MB, PYTHON, TOTAL_SECONDS, EngineError, Memory, Worker, environment, kill_group

if TYPE_CHECKING:
    from .spawned import SpawnedProcess


class FreshProcess:
    """A worker in a new Python process, in a session of its own; `why` it has no sandbox is in its report."""

    def __init__(self, why: str = FRESH) -> None:
        self.connection, theirs = socket.socketpair()
        self.output, write = os.pipe()
        with theirs:
            self._process = subprocess.Popen(
                [*PYTHON, "attention_kata.worker", str(theirs.fileno()), str(MEMORY_MB), str(TOTAL_SECONDS), why],
                stdin=subprocess.DEVNULL,
                stdout=write,
                stderr=write,
                pass_fds=[theirs.fileno()],
                env=environment(),
                cwd="/",
                start_new_session=True,
            )
        os.close(write)
        self.memory = Memory()
        self._oom_kills = oom_kills()
        self.then: Callable[[], None] = lambda: None  # when it has ended

    def connect(self) -> None:
        """It is connected from the start."""

    def kill(self) -> None:
        kill_group(self._process)

    def wait(self) -> int:
        """Wait a moment for the process to end by itself, then end it; nothing of its group is left."""
        try:
            code = self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        if self.connection.fileno() >= 0:
            self.memory = Memory(none_left=oom_kills() > self._oom_kills)
            self.kill()
            self.connection.close()
            os.close(self.output)
            self.then()
        return code

    def settle(self) -> None: ...

    def leave(self) -> None:
        self.kill()
        self.wait()


class FreshProcesses:
    """Workers in new processes, until it is closed: then none runs and none can be started.

    `start` begins a process, at once; that it is connected is waited for without holding others up.
    """

    def __init__(self, start: Callable[[str], FreshProcess | SpawnedProcess] | None = None) -> None:
        self._start = start or _new_process
        self._lock = threading.Lock()
        self._running: set[FreshProcess | SpawnedProcess] = set()
        self._closed = False

    def worker(self, why: str = FRESH) -> Worker:
        with self._lock:
            if self._closed:
                raise EngineError("it was stopped")
            worker = self._start(why)
            self._running.add(worker)
        worker.then = lambda: self._running.discard(worker)
        try:
            worker.connect()
        except BaseException:  # Ctrl-C too
            worker.kill()
            worker.wait()
            if self._closed:
                raise EngineError("it was stopped") from None
            raise
        return worker

    def close(self) -> None:
        with self._lock:
            self._closed = True
            running = list(self._running)
        for worker in running:
            worker.kill()


def _new_process(why: str) -> FreshProcess | SpawnedProcess:
    if os.name == "posix":
        return FreshProcess(why)
    from .spawned import SpawnedProcess

    return SpawnedProcess(why)


@dataclass(frozen=True)
class Workers:
    """How workers are started: `start` any, `alone` one that shares nothing with others, for a submission whose
    engine died; by default as any.  Nothing runs in a worker in which a layer of `required` is not in force.  Where no
    worker can be had, `instead` may start one of another kind; it is told why.  `stop` ends every worker, from any
    thread, and lets none start afterwards.  `meta` says that torch's meta device will be used."""

    start: Callable[[], Worker] = FreshProcess
    alone: Callable[[], Worker] | None = None
    required: tuple[str, ...] = ()
    stop: Callable[[], None] = lambda: None
    meta: Callable[[], None] = lambda: None
    instead: Callable[[str], Worker] | None = None


@contextmanager
def fresh_workers() -> Iterator[Workers]:
    """A new process for each worker: slower, and no sandbox, but to be had everywhere."""
    processes = FreshProcesses()
    try:
        yield Workers(processes.worker, stop=processes.close)
    finally:
        processes.close()
