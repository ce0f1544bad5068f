"""Warm workers: one zygote that has imported torch, a confined child of it for each submission (Linux)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from .process import (
    ENGINE_DIED,
    MEMORY_MB,
    PYTHON,
    START_SECONDS,
    TOTAL_SECONDS,
    EngineError,
    Worker,
    Workers,
    environment,
    readable,
)

END_SECONDS = 2.0
GRACE_SECONDS = 0.25  # for a child that has closed its connection to end by itself
SLOTS = 64  # children at a time


class Zygote:
    """The process that forks workers.  Started at once, awaited at the first worker; restarted when it dies.

    Safe to use from several threads.
    """

    def __init__(self, slots: Sequence[int] = range(SLOTS)) -> None:
        self.processes = "off: not reported"  # the layer that is the zygote's own: a namespace of process ids
        self._lock = threading.Lock()
        self._free = list(slots)
        self._alone: set[Zygote] = set()
        self._closed = False
        self._meta = False
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*PYTHON, "attention_kata.worker.namespace", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment() | {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
                cwd="/",
                start_new_session=True,
            )
        self._ready = False

    def worker(self, layers: Sequence[str] | None = None) -> Worker:
        """A new child, confined before it reads its job; with these layers only, for probes.

        EngineError when none can be had.
        """
        for _ in range(2):
            with self._lock:
                try:
                    self._await_ready()
                    return self._fork(layers)
                except (ConnectionError, TimeoutError, EOFError):
                    self._stop()
                    self._start()
                except OSError as error:  # ours: the zygote, and what others run in it, is well
                    raise EngineError(f"a worker cannot be started: {error.strerror}") from None
        raise EngineError("the process that starts workers does not answer: does `python -c 'import torch'` work?")

    def _await_ready(self) -> None:
        if self._closed:
            raise EngineError("it was stopped")
        if not self._ready:
            self._control.settimeout(START_SECONDS)
            data = self._control.recv(1 << 16)
            if not data:
                raise EOFError
            self.processes = json.loads(data)["processes"]
            self._ready = True

    def _fork(self, layers: Sequence[str] | None) -> Worker:
        slot = self._take()
        request: dict[str, int | list[str]] = {"slot": slot, "memory_mb": MEMORY_MB, "total_seconds": TOTAL_SECONDS}
        request["meta"] = self._meta
        if layers is not None:
            request["layers"] = list(layers)
        with ExitStack() as ours, ExitStack() as theirs:
            ours.callback(self._free.append, slot)
            connection, child_connection = socket.socketpair()
            ours.enter_context(connection)
            theirs.enter_context(child_connection)
            status, child_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.enter_context(status)
            theirs.enter_context(child_status)
            output, child_output = os.pipe()
            ours.callback(os.close, output)
            theirs.callback(os.close, child_output)
            descriptors = [child_connection.fileno(), child_output, child_status.fileno()]
            socket.send_fds(self._control, [json.dumps(request).encode()], descriptors)
            ours.pop_all()  # the child's from now on
        return _Child(self, slot, connection, output, status)

    def use_meta(self) -> None:
        """From now on children find torch's meta device started, which takes a while the first time."""
        self._meta = True

    def _take(self) -> int:
        if not self._free:
            raise EngineError(f"{SLOTS} workers are running, and there can be no more")
        return self._free.pop()

    def alone(self) -> Worker:
        """A worker of a zygote of its own, which ends with it, and with this one."""
        with self._lock:
            if self._closed:
                raise EngineError("it was stopped")
            slot = self._take()
            private = Zygote((slot,))
            self._alone.add(private)

        def end() -> None:
            private.close()
            self._alone.discard(private)
            self.release(slot)

        try:
            worker = private.worker()
        except BaseException:
            end()
            raise
        assert isinstance(worker, _Child)
        worker.then = end
        return worker

    def release(self, slot: int) -> None:
        with self._lock:
            self._free.append(slot)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _stop(self) -> None:
        self._control.close()
        if not self._ready:
            self._process.kill()  # it imports torch, and has no children yet
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End the zygote and with it every child, from any thread; none can be had any more."""
        self._closed = True
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # who waits for the zygote, lock in hand, waits no longer
        with self._lock:
            self._stop()
            alone = list(self._alone)
        for zygote in alone:
            zygote.close()


class _Child:
    """A forked worker: see attention_kata.process.Worker."""

    def __init__(self, zygote: Zygote, slot: int, connection: socket.socket, output: int, status: socket.socket):
        self.connection, self.output = connection, output
        self._zygote, self._slot, self._status = zygote, slot, status
        self._pidfd: int | None = None
        self._exit_code: int | None = None
        self.then: Callable[[], None] = lambda: None  # when it has ended

    def kill(self) -> None:
        if self._pidfd is None and self._exit_code is None:
            self._listen(END_SECONDS)
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code once the zygote has reaped the child; ENGINE_DIED when it can no longer say."""
        if self._status.fileno() >= 0:
            self._await_end()
            self._close()
        return ENGINE_DIED if self._exit_code is None else self._exit_code

    def _await_end(self) -> None:
        while self._exit_code is None and self._listen(GRACE_SECONDS):
            pass
        if self._exit_code is None:
            self.kill()
            while self._exit_code is None and self._listen(END_SECONDS):
                pass

    def _close(self) -> None:
        self._status.close()
        self.connection.close()
        os.close(self.output)
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        self._zygote.release(self._slot)
        self.then()

    def _listen(self, seconds: float) -> bool:
        """Take the zygote's next message, if there is one within `seconds`."""
        if self._status.fileno() < 0 or not readable(self._status, seconds):
            return False
        try:
            data, descriptors, _, _ = socket.recv_fds(self._status, 4096, 1)
        except OSError:
            return False
        if not data:
            return False
        message = json.loads(data)
        if "started" in message and descriptors:
            self._pidfd = descriptors[0]
        self._exit_code = message.get("exited")
        return True


@contextmanager
def confined_workers(required: tuple[str, ...] = (), zygote: Zygote | None = None) -> Iterator[Workers]:
    """Warm, confined workers; torch is being imported while the caller prepares.  Only where a sandbox exists.

    `zygote` is one that has been started already.
    """
    zygote = zygote or Zygote()
    try:
        yield Workers(zygote.worker, zygote.alone, required, zygote.close, zygote.use_meta)
    finally:
        zygote.close()
