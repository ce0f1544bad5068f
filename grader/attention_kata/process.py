"""How a worker is started.  Light to import: `kata check` starts one before anything else."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .worker.limits import oom_kills

if TYPE_CHECKING:
    from .spawned import SpawnedProcess

PYTHON = (sys.executable, "-P", "-B", "-m")
MEMORY_MB = 2048  # a submission may use beyond what torch uses
MEMORY_LIMIT = f" (limit {MEMORY_MB} MB)" if sys.platform == "linux" else ""  # no other system keeps it
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
