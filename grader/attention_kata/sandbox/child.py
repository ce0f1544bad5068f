"""A forked worker, as the trusted side holds it."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from ..worker.limits import oom_kills
from .workers import ENGINE_DIED, START_SECONDS, EngineError, Memory, readable

END_SECONDS = 2.0
GRACE_SECONDS = 0.25  # for a child that has closed its connection to end by itself


class Forks(Protocol):
    """The process that forks children."""

    @property
    def control(self) -> socket.socket:
        """The way to it; closed when it has ended."""

    def release(self, slot: int) -> None: ...
    def bury_later(self, child: Child) -> None: ...


class Child:
    """See attention_kata.sandbox.fresh.Worker.  What becomes of it is told by the zygote, on `status`."""

    def __init__(self, zygote: Forks, slot: int, connection: socket.socket, output: int, status: socket.socket):
        self.connection, self.output = connection, output
        self.memory = Memory()
        self.then: Callable[[], None] = lambda: None  # when it has ended
        self.last = False  # its zygote has no other
        self._zygote, self._slot, self._status = zygote, slot, status
        self._control = zygote.control
        self._pid: int | None = None  # as the zygote knows it
        self._pidfd: int | None = None
        self._killed = False
        self._exit_code: int | None = None
        self._failed = ""
        self._silent = False  # nothing more is said about it
        self._oom_kills = oom_kills()

    def started(self) -> Child:
        """Itself once the zygote has forked it, or has died.  EngineError when it could not."""
        try:
            if self._pid is None:
                self._listen(START_SECONDS)
        except BaseException:  # Ctrl-C too
            self.kill()
            self.wait()
            raise
        if self._failed:
            self._close()
            raise EngineError(f"a worker cannot be started: {self._failed}")
        self._oom_kills = oom_kills()  # those of the time when it only waited were not for what it runs
        return self

    def kill(self) -> None:
        """At once; one that has not been forked yet, as soon as it is."""
        self._killed = True
        if self._pid is None:
            self._listen(0)
        else:
            self._signal()

    def _signal(self) -> None:
        if self._exit_code is not None or self._status.fileno() < 0:
            return
        if self._pidfd is not None:
            with suppress(OSError, AttributeError):  # a system, or a Python, that has no such call
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
                return
        with suppress(OSError):  # the zygote, and with it all its children, has ended
            self._control.send(json.dumps({"kill": self._pid}).encode())

    def wait(self) -> int:
        """The exit code once the zygote has reaped the child; ENGINE_DIED when it can no longer say."""
        if self._status.fileno() >= 0:
            self._await_end(GRACE_SECONDS)
            if not self._over:
                self.kill()
                self._await_end(END_SECONDS)
            self._close()
        return ENGINE_DIED if self._exit_code is None else self._exit_code

    def settle(self) -> None: ...

    def leave(self) -> None:
        self.kill()
        if self.last:  # nobody will ask for a next one
            self.wait()
        else:
            self._zygote.bury_later(self)

    def ended(self, seconds: float) -> bool:
        """Whether it has ended, or does within `seconds`; what it held is then given back."""
        self._await_end(seconds)
        if self._over:
            self.wait()
        return self._over

    @property
    def _over(self) -> bool:
        return self._exit_code is not None or bool(self._failed) or self._silent

    def _await_end(self, seconds: float) -> None:
        while not self._over and self._listen(seconds):
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
            data = b""
        if not data:
            self._silent = True
            return False
        message = json.loads(data)
        if "started" in message:
            self._pid = message["started"]
            self._pidfd = descriptors[0] if descriptors else None
            if self._killed:
                self._signal()
        elif "exited" in message:
            self._exit_code = message["exited"]
            self.memory = Memory(message["most_mb"], oom_kills() > self._oom_kills)
        else:
            self._failed = message["failed"]
        return True
