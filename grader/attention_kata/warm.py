"""Warm workers: one zygote that has imported torch, a confined child of it for each submission (Linux)."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from .process import ENGINE_DIED, MEMORY_MB, PYTHON, TOTAL_SECONDS, Worker, environment

START_SECONDS = 120.0
END_SECONDS = 2.0


class EngineError(Exception):
    """No worker can be had on this machine now; the message says why."""


class Zygote:
    """The process that forks workers.  Started at once, awaited at the first worker; restarted when it dies.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self.processes = "off: not reported"  # the layer that is the zygote's own: a namespace of process ids
        self._lock = threading.Lock()
        self._free = list(range(64))
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*PYTHON, "attention_kata.worker.zygote", str(theirs.fileno())],
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
                    slot = self._free.pop()
                    return self._fork(slot, layers)
                except (OSError, EOFError):
                    self._stop()
                    self._start()
        raise EngineError("the process that starts workers does not answer: does `python -c 'import torch'` work?")

    def _await_ready(self) -> None:
        if not self._ready:
            self._control.settimeout(START_SECONDS)
            data = self._control.recv(1 << 16)
            if not data:
                raise EOFError
            self.processes = json.loads(data)["processes"]
            self._ready = True

    def _fork(self, slot: int, layers: Sequence[str] | None) -> Worker:
        request: dict[str, int | list[str]] = {"slot": slot, "memory_mb": MEMORY_MB, "total_seconds": TOTAL_SECONDS}
        if layers is not None:
            request["layers"] = list(layers)
        connection, child_connection = socket.socketpair()
        status, child_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output, child_output = os.pipe()
        try:
            theirs = [child_connection.fileno(), child_output, child_status.fileno()]
            socket.send_fds(self._control, [json.dumps(request).encode()], theirs)
        except OSError:
            connection.close()
            status.close()
            os.close(output)
            self._free.append(slot)
            raise
        finally:
            child_connection.close()
            child_status.close()
            os.close(child_output)
        return _Child(self, slot, connection, output, status)

    def alone(self) -> Worker:
        """A worker of a zygote of its own, which ends with it."""
        private = Zygote()
        try:
            worker = private.worker()
        except BaseException:
            private.close()
            raise
        assert isinstance(worker, _Child)
        worker.then = private.close
        return worker

    def release(self, slot: int) -> None:
        with self._lock:
            self._free.append(slot)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _stop(self) -> None:
        self._control.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End the zygote and with it every child."""
        with self._lock:
            self._stop()


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
        while self._exit_code is None and self._listen(END_SECONDS):
            pass
        if self._exit_code is None:
            self.kill()
            while self._exit_code is None and self._listen(END_SECONDS):
                pass
        self._status.close()
        self.connection.close()
        os.close(self.output)
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._zygote.release(self._slot)
        self.then()
        return ENGINE_DIED if self._exit_code is None else self._exit_code

    def _listen(self, seconds: float) -> bool:
        """Take the zygote's next message, if there is one within `seconds`."""
        if not select.select([self._status], [], [], seconds)[0]:
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
