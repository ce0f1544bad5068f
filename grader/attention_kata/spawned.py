"""A worker where no descriptor can be handed to a child (Windows): it connects back, a thread carries its output."""

from __future__ import annotations

import hmac
import secrets
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress

from .process import MEMORY_MB, PYTHON, START_SECONDS, TOTAL_SECONDS, EngineError, environment


class SpawnedProcess:
    """A worker in a new Python process; see attention_kata.process.Worker.

    The child is told a port of this machine and, on its standard input, a word: who does not know the word
    is no child of ours.
    """

    def __init__(self) -> None:
        word = secrets.token_hex(16)
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = str(server.getsockname()[1])
            self._process = subprocess.Popen(
                [*PYTHON, "attention_kata.worker", f"tcp:{port}", str(MEMORY_MB), str(TOTAL_SECONDS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment(),
            )
            assert self._process.stdin is not None
            with suppress(OSError):
                self._process.stdin.write(f"{word}\n".encode())
                self._process.stdin.close()
            try:
                self.connection = self._accept(server, word)
            except OSError as error:
                self._process.kill()
                self._process.wait()
                raise EngineError(f"the worker does not connect: {error}") from None
        self._said, theirs = socket.socketpair()
        self.output = self._said.fileno()
        threading.Thread(target=self._carry, args=(theirs,), daemon=True).start()
        self.then: Callable[[], None] = lambda: None  # when it has ended

    def _accept(self, server: socket.socket, word: str) -> socket.socket:
        """The connection of the one who knows the word."""
        server.settimeout(START_SECONDS)
        while True:
            connection, _ = server.accept()
            connection.settimeout(START_SECONDS)
            with suppress(OSError):
                said = connection.recv(len(word), socket.MSG_WAITALL)
                if hmac.compare_digest(said, word.encode()):
                    return connection
            connection.close()

    def _carry(self, to: socket.socket) -> None:
        """Bring what the process prints to where it is read."""
        assert self._process.stdout is not None
        with to, suppress(OSError):
            while chunk := self._process.stdout.read1(1 << 16):  # type: ignore[attr-defined]
                to.sendall(chunk)

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> int:
        """Wait a moment for the process to end by itself, then end it."""
        try:
            code = self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        if self.connection.fileno() >= 0:
            self.connection.close()
            self._said.close()
            self.then()
        return code
