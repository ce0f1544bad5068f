"""Warm workers: one zygote that has imported torch, a confined child of it for each submission (Linux)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from .child import END_SECONDS, Child
from .fresh import Workers
from .slots import Slots
from .workers import MEMORY_MB, PYTHON, START_SECONDS, TOTAL_SECONDS, EngineError, Worker, environment, last_line


class ZygoteClient:
    """The process that forks workers.  Started at once, awaited at the first worker; restarted when it dies.

    Safe to use from several threads.  `processes` is "on", or "off: why" where it shall try no namespace of its own.
    """

    def __init__(self, slots: Sequence[int] | None = None, processes: str = "on") -> None:
        self.processes = processes  # the layer that is the zygote's own: a namespace of process ids
        self._lock = threading.RLock()
        self._slots = Slots(slots)
        self._alone: set[ZygoteClient] = set()
        self._spare: Child | None = None  # forked and confined while the last one was at work
        self._leaving: list[Child] = []  # have been killed, and may not have ended yet
        self._had_one = False  # whether there has been a worker
        self._closed = False
        self._meta = False
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._said = os.fdopen(os.memfd_create("said"), "w+b")
        with theirs:
            self._process = subprocess.Popen(
                [*PYTHON, "attention_kata.worker.namespace", str(theirs.fileno()), self.processes, str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                pass_fds=[theirs.fileno()],
                env=environment() | {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
                cwd="/",
                start_new_session=True,
            )
        self._ready = False

    def workers(self, required: tuple[str, ...] = ()) -> Workers:
        """Workers in which all layers of `required` are in force."""
        return Workers(self.worker, self.alone, required, self.close, self.use_meta)

    def worker(self, layers: Sequence[str] | None = None) -> Child:
        """A child that waits, or a new one, confined before it reads its job; with these layers only, for probes.

        EngineError when none can be had.
        """
        for _ in range(2):
            with self._lock:
                try:
                    self._await_ready()
                    self._bury()
                    child = self._next() if layers is None else self._fork(layers)
                except (ConnectionError, TimeoutError, EOFError):
                    why = self._stop()
                    self._start()
                    continue
                except OSError as error:  # ours: the zygote, and what others run in it, is well
                    raise EngineError(f"a worker cannot be started: {error.strerror}") from None
            return child.started()
        raise EngineError(f"the process that starts workers does not answer: {why}")

    def _next(self) -> Child:
        """A child that has been waiting, or a new one; from the second on, another begins to wait."""
        child = self._spare
        if child is None or child.ended(0):
            child = self._fork(None)
        self._spare, more, self._had_one = None, self._had_one, True
        if more and self._slots.free:
            try:
                self._spare = self._fork(None)
            except (ConnectionError, TimeoutError):  # so the one that waited is no good either
                self._leaving.append(child)
                raise
            except OSError:
                pass  # it would have saved time
        return child

    def _bury(self, seconds: float = 0) -> None:
        """Give back what children held that have ended."""
        self._leaving = [child for child in self._leaving if not child.ended(seconds)]

    def _slot(self) -> int:
        """A free one, if need be that of a child that only waits or has still to end."""
        if not self._slots.free:
            self._drop_spare()
            self._bury(END_SECONDS)
        return self._slots.take()

    def _await_ready(self) -> None:
        if self._closed:
            raise EngineError("it was stopped")
        while not self._ready:
            self._control.settimeout(START_SECONDS)
            data = self._control.recv(1 << 16)
            if not data:
                raise EOFError
            message = json.loads(data)
            self._ready = "processes" in message
            self.processes = message["processes" if self._ready else "again"]
            if not self._ready:  # it tried to have a namespace and cannot be used any more: another does without
                self._stop()
                if self._closed:
                    raise EngineError("it was stopped")
                self._start()

    def _fork(self, layers: Sequence[str] | None) -> Child:
        slot = self._slot()
        request: dict[str, int | list[str]] = {"slot": slot, "memory_mb": MEMORY_MB, "total_seconds": TOTAL_SECONDS}
        request["meta"] = self._meta
        if layers is not None:
            request["layers"] = list(layers)
        with ExitStack() as ours, ExitStack() as theirs:
            ours.callback(self._slots.free.append, slot)
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
        return Child(self, slot, connection, output, status)

    @property
    def control(self) -> socket.socket:
        """The way to the process that runs now; closed when that has ended."""
        return self._control

    def use_meta(self) -> None:
        """From now on children find torch's meta device started, which takes a while the first time."""
        with self._lock:
            if not self._meta:
                self._meta = True
                self._drop_spare()

    def _drop_spare(self) -> None:
        if self._spare is not None:
            self._spare.kill()
            self._leaving.append(self._spare)
            self._spare = None

    def alone(self) -> Worker:
        """A worker of a zygote of its own, which ends with it, and with this one."""
        with self._lock:
            if self._closed:
                raise EngineError("it was stopped")
            slot = self._slot()
            private = ZygoteClient((slot,), self.processes)
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
        worker.then = end
        worker.last = True
        return worker

    def release(self, slot: int) -> None:
        with self._lock:
            self._slots.free.append(slot)

    def bury_later(self, child: Child) -> None:
        """`child` has been killed; it is waited for when the next one is asked for, or at the end."""
        with self._lock:
            if not self._closed:
                self._leaving.append(child)
                return
        child.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _stop(self) -> str:
        """End the process -> what it complained of last."""
        self._control.close()
        if self._spare is not None:  # it ends with its zygote
            self._leaving.append(self._spare)
            self._spare = None
        if not self._ready:
            self._process.kill()  # it imports torch, and has no children yet
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._said.closed:
            return ""
        with self._said:
            self._said.seek(0)
            return last_line(self._said.read()) or "does `python -c 'import torch'` work?"

    def close(self) -> None:
        """End the zygote and with it every child, from any thread; none can be had any more."""
        self._closed = True
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # who waits for the zygote, lock in hand, waits no longer
        with self._lock:
            self._stop()
            for child in self._leaving:
                child.wait()
            alone = list(self._alone)
        for zygote in alone:
            zygote.close()
        self._slots.close()


@contextmanager
def confined_workers(required: tuple[str, ...] = (), zygote: ZygoteClient | None = None) -> Iterator[Workers]:
    """Warm, confined workers; torch is being imported while the caller prepares.  Only where a sandbox exists.

    `zygote` is one that has been started already.
    """
    zygote = zygote or ZygoteClient()
    try:
        yield zygote.workers(required)
    finally:
        zygote.close()
