"""The kernel's end of the judge: starts it when it is first needed, and asks it one thing at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

COMMAND = (sys.executable, "-P", "-B", "-m", "attention_kata.notebook.judge")


class Client:
    """A judge that ends with this kernel.  Not more than one line is ever under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to `request`; one whose judge died is told as a problem, and the next gets a new judge."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = _started()
            try:
                return self._asked(self._process, request)
            except (OSError, ValueError):
                self._stop()
                return {"problem": "the judging process ended: `kata doctor` in a terminal tests this machine"}
            except BaseException:  # interrupted: its answer would be taken for that of the next request
                self._stop()
                raise

    def _asked(self, process: subprocess.Popen[str], request: dict[str, Any]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        if not isinstance(answer, dict):
            raise ValueError
        return answer

    def _stop(self) -> None:
        if self._process is not None:
            with suppress(OSError):
                self._process.kill()
            self._process.wait()
            self._process = None


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # of the kernel's nothing: a line there would cost points in nbgrader
        text=True,
        encoding="utf-8",
        start_new_session=True,  # Ctrl-C and the interrupt button reach the kernel alone
    )
