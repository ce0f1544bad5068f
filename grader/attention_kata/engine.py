"""The trusted side of a worker: hands over a submission, reads observations, keeps the time.

Whatever comes back is about that submission alone: a missing, late or malformed reply loses the case
it was about, a new worker goes on with the rest.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from .model import Array, Exercise
from .observation import Malformed, ModuleReport, Observation, Raised, read_hello, read_module, read_observation
from .process import FreshProcess, Worker
from .submission import Submission

HEAD_BYTES = 5
MOST_REPLY = 32 << 20
MOST_OUTPUT = 64 << 10
START_SECONDS = 120.0
STARTS = 2  # attempts to get a worker that answers at all
PATIENCE = 2  # time-outs in one exercise after which its other cases get `hurried_seconds`


@dataclass(frozen=True)
class Limits:
    """What one check, and one submission, may use."""

    seconds: float = 5.0  # wall clock and CPU, per import and per case
    hurried_seconds: float = 1.0
    memory_mb: int = 2048

    def as_json(self) -> dict[str, int]:
        return {"seconds": int(self.seconds) + 1, "memory_mb": self.memory_mb, "total_seconds": 3600}


@dataclass(frozen=True)
class Run:
    """What a submission did: observations by (exercise, case), reports by file."""

    observations: Mapping[tuple[str, str], Observation]
    modules: Mapping[str, ModuleReport]
    output: str = ""
    isolation: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""  # ours, when cases are missing


@dataclass(frozen=True)
class _Unit:
    """One case to run."""

    exercise: str
    file: str
    case: str
    script: Mapping[str, Any]
    arrays: Mapping[str, Array]

    @property
    def key(self) -> str:
        return f"{self.exercise}/{self.case}"


def run_submission(
    submission: Submission,
    exercises: Sequence[Exercise],
    limits: Limits,
    start: Callable[[], Worker] = FreshProcess,
    topics: Sequence[str] = (),
) -> Run:
    """Run every case of `exercises` whose file the submission has; `topics` are imported in any case."""
    units = [
        _Unit(e.name, e.file, case.id, case.script, case.arrays)
        for e in exercises
        if e.file in submission.files
        for case in e.cases
    ]
    session = _Session(submission, list(dict.fromkeys([*topics, *(u.file for u in units)])), units, limits)
    starts = 0
    while session.topics_left or session.units_left:
        worker = start()
        try:
            answered = session.drive(worker)
        except BaseException:  # Ctrl-C too: nothing of the submission stays behind
            worker.kill()
            worker.wait()
            raise
        starts = 0 if answered else starts + 1
        if starts == STARTS:
            session.fault = "no worker could be started"
            break
    return Run(session.observations, session.modules, session.text(), session.isolation, session.fault)


class _Session:
    """One submission's way through one or more workers."""

    def __init__(self, submission: Submission, topics: list[str], units: list[_Unit], limits: Limits):
        self.submission, self.limits = submission, limits
        self.topics, self.topics_left, self.units_left = topics, list(topics), units
        self.observations: dict[tuple[str, str], Observation] = {}
        self.modules: dict[str, ModuleReport] = {}
        self.isolation: dict[str, str] = {}
        self.printed = bytearray()
        self.fault = ""
        self.timeouts: Counter[str] = Counter()

    def text(self) -> str:
        return bytes(self.printed).decode("utf-8", "replace")

    # ------------------------------------------------------------------ one worker

    def drive(self, worker: Worker) -> bool:
        """Send what is left, read until the worker is done or dead -> whether it answered at all."""
        reader = _Reader(worker, self.printed)
        seconds = START_SECONDS
        waiting = [t for t in self.topics if t not in self.modules or self.modules[t].error is None]
        self.topics_left = list(waiting)
        greeted = False
        try:
            self._send(worker, waiting)
            while True:
                kind, payload = reader.frame(time.monotonic() + seconds)
                if kind == b"H" and not greeted:
                    greeted = True
                    self.isolation = read_hello(_parse(payload)[0])
                elif kind == b"M" and greeted and self.topics_left:
                    self._module(payload)
                elif kind == b"O" and not self.topics_left and self.units_left:
                    self._observation(payload)
                elif kind == b"D" and not self.topics_left and not self.units_left:
                    break
                else:
                    raise Malformed(f"a frame of kind {kind!r} out of turn")
                if not self.topics_left and not self.units_left:
                    break
                seconds = self._patience()
        except (TimeoutError, EOFError, Malformed, OSError) as problem:
            timed_out = isinstance(problem, TimeoutError)
            if not isinstance(problem, EOFError):
                worker.kill()
            reader.drain()
            code = worker.wait()
            if greeted:
                self._lost(*_cause(problem, code, timed_out, seconds))
            return greeted
        reader.drain()
        worker.kill()
        worker.wait()
        return True

    def _patience(self) -> float:
        if not self.topics_left and self.timeouts[self.units_left[0].exercise] >= PATIENCE:
            return self.limits.hurried_seconds
        return self.limits.seconds

    def _send(self, worker: Worker, topics: list[str]) -> None:
        job = {
            "files": dict(self.submission.files),
            "topics": topics,
            "limits": self.limits.as_json(),
            "cases": [
                {"key": u.key, "file": u.file, "script": dict(u.script), "arrays": list(u.arrays)}
                for u in self.units_left
            ],
        }
        text = json.dumps(job).encode()
        blob = save(
            {
                f"{u.key}/{name}": np.ascontiguousarray(array)
                for u in self.units_left
                for name, array in u.arrays.items()
            }
        )
        payload = len(text).to_bytes(4, "little") + text + blob
        worker.connection.settimeout(START_SECONDS)
        worker.connection.sendall(b"J" + len(payload).to_bytes(4, "little") + payload)

    def _module(self, payload: bytes) -> None:
        file, report = read_module(_parse(payload)[0])
        if file != self.topics_left[0]:
            raise Malformed(f"a report on {file[:40]!r} where {self.topics_left[0]} was due")
        self.topics_left.pop(0)
        self.modules[file] = report
        if report.error is not None:
            self.units_left = [unit for unit in self.units_left if unit.file != file]

    def _observation(self, payload: bytes) -> None:
        meta, arrays = _parse(payload)
        unit = self.units_left[0]
        if not isinstance(meta, dict) or meta.get("key") != unit.key:
            raise Malformed("an observation of another case than the one due")
        self.observations[unit.exercise, unit.case] = read_observation(meta, arrays)
        self.units_left.pop(0)

    def _lost(self, outcome: str, cause: str) -> None:
        """The worker is gone: what it was busy with is lost, the rest is left."""
        if self.topics_left:
            file = self.topics_left[0]
            kind = "Timeout" if outcome == "timeout" else "Crash"
            self.modules[file] = ModuleReport(Raised("import", kind, cause, file))
            self.units_left = [unit for unit in self.units_left if unit.file != file]
        elif self.units_left:
            unit = self.units_left.pop(0)
            self.observations[unit.exercise, unit.case] = Observation(outcome, cause=cause)
            self.timeouts[unit.exercise] += outcome == "timeout"
        self.topics_left = []


class _Reader:
    """Frames from the connection while the submission's output is drained, both bounded."""

    def __init__(self, worker: Worker, printed: bytearray):
        self.connection, self.output, self.printed = worker.connection, worker.output, printed
        self.buffer = bytearray()
        self.printing = True
        self.poll = select.poll()
        self.poll.register(self.connection, select.POLLIN)
        self.poll.register(self.output, select.POLLIN)

    def frame(self, deadline: float) -> tuple[bytes, bytes]:
        """The next frame.  TimeoutError, EOFError, or Malformed for one that is too large."""
        while True:
            if len(self.buffer) >= HEAD_BYTES:
                length = int.from_bytes(self.buffer[1:HEAD_BYTES], "little")
                if length > MOST_REPLY:
                    raise Malformed("a reply that is too large")
                if len(self.buffer) >= HEAD_BYTES + length:
                    kind = bytes(self.buffer[:1])
                    payload = bytes(self.buffer[HEAD_BYTES : HEAD_BYTES + length])
                    del self.buffer[: HEAD_BYTES + length]
                    return kind, payload
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            for fd, _ in self.poll.poll(left * 1000 + 1):
                if fd == self.output:
                    self._print()
                    continue
                chunk = self.connection.recv(1 << 18)
                if not chunk:
                    raise EOFError
                self.buffer += chunk

    def _print(self) -> None:
        chunk = os.read(self.output, 1 << 16)
        self.printed += chunk[: max(0, MOST_OUTPUT - len(self.printed))]
        if not chunk:
            self.poll.unregister(self.output)
            self.printing = False

    def drain(self) -> None:
        """What is in the pipe now; a process that keeps writing is not waited for."""
        for _ in range(64):
            if not self.printing or not select.select([self.output], [], [], 0)[0]:
                return
            self._print()


def _parse(payload: bytes) -> tuple[Any, Mapping[str, Array]]:
    """The only parser that meets bytes from a worker.  Malformed for anything that is not a frame's payload."""
    try:
        length = int.from_bytes(payload[:4], "little")
        return json.loads(payload[4 : 4 + length]), load(payload[4 + length :])
    except Exception as error:  # whatever a parser says of forged bytes, it is about this submission alone
        raise Malformed(f"a reply that cannot be read ({type(error).__name__})") from None


def _cause(problem: BaseException, code: int, timed_out: bool, seconds: float) -> tuple[str, str]:
    """(outcome, cause in words) of a worker that ended before its time."""
    if timed_out:
        return "timeout", f"it was stopped after {seconds:g} s"
    if isinstance(problem, Malformed):
        return "crashed", f"its reply was not understood: {problem}"
    if code == -signal.SIGXCPU:
        return "timeout", f"it used more than {seconds:g} s of processor time"
    if code < 0:
        name = signal.Signals(-code).name if -code in list(signal.Signals) else f"signal {-code}"
        return "crashed", f"it was ended by {name}"
    return "crashed", "it ended the program (os._exit, or something like it)"
