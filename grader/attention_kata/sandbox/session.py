"""The trusted side of a worker: hands over a submission, reads observations, keeps the time.

Whatever comes back is about that submission alone: a missing, late or malformed reply loses the case
it was about, a new worker goes on with the rest.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..intake.submission import Submission
from ..key.model import Exercise
from ..worker.frames import BEGIN, HELLO, JOB, MODULE, OBSERVATION, pack
from .fresh import Workers
from .layers import missing, nothing_run
from .observation import (
    Lost,
    Malformed,
    ModuleReport,
    Observation,
    Outcome,
    Raised,
    read_hello,
    read_module,
    read_observation,
)
from .reader import End, Reader, cause_of, parse
from .workers import ENGINE_DIED, START_SECONDS, EngineError, Worker, last_line

Seen = tuple[Exercise, Mapping[str, Observation], ModuleReport | None]  # observations by case
Steps = Generator[Exercise | None, None, None]  # a worker has its job, or an exercise has come to its end

STARTS = 2  # attempts to get a worker that answers at all
MAX_KEPT = 32 << 20  # bytes of observations of one submission; a course asks for a few megabytes
PATIENCE = 2  # time-outs in one exercise after which its other cases get `hurried_seconds`


@dataclass(frozen=True)
class Limits:
    """What one check, and one submission, may use."""

    seconds: float = 5.0  # wall clock and CPU, per import and per case
    hurried_seconds: float = 1.0

    def as_json(self) -> dict[str, int]:
        return {"seconds": int(self.seconds) + 1}


class Session:
    """One submission's way through one or more workers.

    Entered, its first worker has its job; left, whatever the reason, no worker runs.  In between it gives every
    exercise once, with its observations and the report on its file: as soon as its last case has run, while the
    worker goes on with the next; at the end those that lack a case.  Whoever takes them works while the worker does.
    Then `output`, `isolation` and `fault` are complete, too.
    """

    def __init__(
        self,
        submission: Submission,
        exercises: Sequence[Exercise],
        limits: Limits,
        workers: Workers,
        topics: Sequence[str] = (),
    ):
        """All cases of `exercises` whose file the submission has are run; `topics` are imported in any case."""
        self.submission, self.asked, self.limits, self.workers = submission, exercises, limits, workers
        self.exercises = [exercise for exercise in exercises if exercise.file in submission.files]
        self.topics = list(dict.fromkeys([*topics, *(e.file for e in self.exercises)]))
        self.topics_left = list(self.topics)
        self.units_left = [(exercise, case.id) for exercise in self.exercises for case in exercise.cases]
        self.observations: dict[tuple[str, str], Observation] = {}  # by (exercise, case)
        self.modules: dict[str, ModuleReport] = {}  # by file
        self.isolation: Mapping[str, str] = {}
        self.printed = bytearray()
        self.heard: Counter[bytes] = Counter()  # lines that were printed while files were imported
        self.fault = ""  # ours, when cases are missing
        self.not_again: set[str] = set()  # files whose import failed
        self.kept = 0
        self.timeouts: Counter[str] = Counter()
        self.engine_deaths = 0
        self.begun = False  # whether the present worker has come to the submission's code
        self.not_begun = ""  # why the last one has not
        self._steps = self._run()

    @property
    def output(self) -> str:
        return bytes(self.printed).decode("utf-8", "replace")

    def __enter__(self) -> Session:
        next(self._steps, None)
        return self

    def __exit__(self, *_: object) -> None:
        self._steps.close()

    def __iter__(self) -> Iterator[Seen]:
        waiting = {exercise.name: exercise for exercise in self.asked}
        for step in self._steps:
            if step is not None:
                yield self._seen(waiting.pop(step.name))
        yield from map(self._seen, waiting.values())

    def _seen(self, exercise: Exercise) -> Seen:
        own = {case: seen for (of, case), seen in self.observations.items() if of == exercise.name}
        return exercise, own, self.modules.get(exercise.file)

    # ------------------------------------------------------------------ as many workers as it takes

    def _run(self) -> Steps:
        if any(case.script["device"] == "meta" for exercise in self.exercises for case in exercise.cases):
            self.workers.meta()
        why = yield from self._with(self.workers.start, self.workers.alone or self.workers.start)
        if why and self.workers.instead is not None:
            start = partial(self.workers.instead, why)
            why = yield from self._with(start, start)
        self.fault = self.fault or why
        self.isolation = self.isolation or nothing_run(self.workers.required)

    def _with(self, start: Callable[[], Worker], alone: Callable[[], Worker]) -> Generator[Exercise | None, None, str]:
        """Run what is left -> why no worker could be had, or ""."""
        starts = 0
        while not self.fault and (self.topics_left or self.units_left):
            try:
                worker = alone() if self.engine_deaths else start()
            except (EngineError, OSError) as error:
                return str(error)
            try:
                yield from self._drive(worker)
            except BaseException:  # Ctrl-C too, and who took the exercises: nothing of the submission stays behind
                worker.kill()
                worker.wait()
                raise
            starts = 0 if self.begun else starts + 1
            if starts == STARTS and not self.fault:
                return f"no worker could be started: {self.not_begun}"
        return ""

    # ------------------------------------------------------------------ one worker

    def _drive(self, worker: Worker) -> Steps:
        """Send what is left, read until the worker is done or dead; `begun` says how far it got."""
        reader = Reader(worker, self.printed)
        told = len(self.printed)
        self.begun = False
        try:
            self._greet(*reader.frame(time.monotonic() + START_SECONDS))
            if not self.fault:
                self._send(worker)
                yield None
                yield from self._listen(reader)
        except (TimeoutError, EOFError, Malformed, OSError) as problem:
            if not isinstance(problem, EOFError):
                worker.kill()
            worker.settle()
            reader.drain()
            code = worker.wait()
            if code == ENGINE_DIED:
                self._engine_died()
            elif self.begun:
                end = End(code, worker.memory, bytes(self.printed), self._place())
                self._lost(cause_of(problem, end, self._patience()))
            else:  # whatever its exit code says, no byte of the submission has run
                said = last_line(self.printed[told:])
                late = "it did not answer in time" if isinstance(problem, TimeoutError) else ""
                ended = f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"
                self.not_begun = said or late or ended
                del self.printed[told:]
        else:
            worker.settle()
            reader.drain()
            worker.leave()

    def _greet(self, kind: bytes, payload: bytes) -> None:
        """The worker's first words, before any byte of the submission runs: which layers are in force."""
        if kind != HELLO:
            raise Malformed(f"a frame of kind {kind!r} before the greeting")
        self.isolation = read_hello(parse(payload)[0])
        off = missing(self.isolation, self.workers.required)
        if off:
            self.fault = f"not confined: {', '.join(off)}"

    def _send(self, worker: Worker) -> None:
        self.topics_left = [topic for topic in self.topics if topic not in self.not_again]
        wanted = list(dict.fromkeys(exercise.name for exercise, _ in self.units_left))
        left = {(exercise.name, case) for exercise, case in self.units_left}
        exercises = [exercise for exercise in self.exercises if exercise.name in wanted]
        job = {
            "files": dict(self.submission.files),
            "topics": self.topics_left,
            "limits": self.limits.as_json(),
            "exercises": len(exercises),
            "skip": [f"{e.name}/{c.id}" for e in exercises for c in e.cases if (e.name, c.id) not in left],
        }
        worker.connection.settimeout(START_SECONDS)
        worker.connection.sendall(pack(JOB, job) + b"".join(exercise.job for exercise in exercises))

    def _listen(self, reader: Reader) -> Steps:
        """That it begins, reports on modules, then observations, in their order, each within its time."""
        told, again = len(self.printed), self.heard.copy()
        while self.topics_left or self.units_left:
            kind, payload = reader.frame(time.monotonic() + (self._patience() if self.begun else START_SECONDS))
            if kind == BEGIN and not self.begun:
                self.begun = True
                continue
            self.begun = True  # nothing but a submission would leave it out
            if kind == MODULE and self.topics_left:
                reader.drain()
                self.printed[told:] = self._news(self.printed[told:].splitlines(keepends=True), again)
                told = len(self.printed)
                self._module(payload)
            elif kind == OBSERVATION and not self.topics_left:
                exercise = self._observation(payload)
                if all(other is not exercise for other, _ in self.units_left[:1]):
                    yield exercise
            else:
                raise Malformed(f"a frame of kind {kind!r} out of turn")

    def _news(self, lines: list[bytearray], again: Counter[bytes]) -> bytes:
        """Lines that no earlier worker has printed while it imported the same files; `again` counts those that have.

        They are told apart by what they say, since a worker is ahead of its reports.
        """
        new = []
        for line in map(bytes, lines):
            if again[line]:
                again[line] -= 1
            else:
                self.heard[line] += 1
                new.append(line)
        return b"".join(new)

    def _patience(self) -> float:
        if not self.topics_left and self.units_left and self.timeouts[self.units_left[0][0].name] >= PATIENCE:
            return min(self.limits.seconds, self.limits.hurried_seconds)
        return self.limits.seconds

    def _module(self, payload: bytes) -> None:
        file, report = read_module(parse(payload)[0])
        if file != self.topics_left[0]:
            raise Malformed(f"a report on {file[:40]!r} where {self.topics_left[0]} was due")
        self._locate(report.error)
        self.topics_left.pop(0)
        self._record(file, report)

    def _record(self, file: str, report: ModuleReport) -> None:
        """What an import came to.  Where an earlier worker could import the file, what it observed stands."""
        if not report.failed:
            self.modules[file] = report
            return
        self.not_again.add(file)
        lost = [unit for unit in self.units_left if unit[0].file == file]
        self.units_left = [unit for unit in self.units_left if unit[0].file != file]
        if file not in self.modules:
            self.modules[file] = report
            return
        seen = _as_observation(report)
        self.observations |= {(exercise.name, case): seen for exercise, case in lost}

    def _observation(self, payload: bytes) -> Exercise:
        meta, arrays = parse(payload)
        exercise, case = self.units_left[0]
        if not isinstance(meta, dict) or meta.get("key") != f"{exercise.name}/{case}":
            raise Malformed("an observation of another case than the one due")
        observation = read_observation(meta, arrays)
        self._locate(observation.error)
        self.kept += len(payload)
        if self.kept > MAX_KEPT:
            raise Malformed("all its results together are too large")
        self.observations[exercise.name, case] = observation
        self.units_left.pop(0)
        return exercise

    def _locate(self, error: Raised | None) -> None:
        if error is not None and error.file is not None and error.file not in self.submission.files:
            raise Malformed("an error in a file that was not handed in")

    def _place(self) -> str:
        """The function or class of the learner's that the worker is calling; "" while it imports a file."""
        return "" if self.topics_left or not self.units_left else self.units_left[0][0].name

    def _lost(self, lost: Lost) -> None:
        """The worker is gone: what it was busy with is lost, the rest is left."""
        if self.topics_left:
            file = self.topics_left[0]
            self._record(file, ModuleReport(lost=lost))
        elif self.units_left:
            exercise, case = self.units_left.pop(0)
            self.observations[exercise.name, case] = Observation(lost.outcome, cause=lost.cause)
            self.timeouts[exercise.name] += lost.outcome is Outcome.TIMEOUT
            if exercise.case(case).is_drawn:  # one is enough to fail their check, and each may take as long
                self.units_left = [
                    (other, id) for other, id in self.units_left if other is not exercise or not other.case(id).is_drawn
                ]
        self.topics_left = []

    def _engine_died(self) -> None:
        """The process that starts workers is gone: once is bad luck, twice and alone is this submission's doing.

        Unless the second time it has not even begun.
        """
        self.engine_deaths += 1
        if self.engine_deaths == 2:
            its_doing = "it took down the process that starts workers, twice"
            self.fault = its_doing if self.begun else "the process that starts workers ended, twice"


def run_all(
    submission: Submission, exercises: Sequence[Exercise], limits: Limits, workers: Workers, topics: Sequence[str] = ()
) -> Session:
    """The session at its end, for whoever has nothing to do meanwhile."""
    with Session(submission, exercises, limits, workers, topics) as session:
        for _ in session:
            pass
    return session


def _as_observation(report: ModuleReport) -> Observation:
    """What a failed import means for a case that needs the file."""
    if report.lost is not None:
        return Observation(report.lost.outcome, cause=report.lost.cause)
    return Observation(Outcome.RAISED, error=report.error)
