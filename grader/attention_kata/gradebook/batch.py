"""Grading a class into its database: each submission once, several at a time, nothing lost when it is stopped."""

from __future__ import annotations

import heapq
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Protocol, TypeVar

from .. import __version__
from ..intake.packing import file_hash
from ..intake.submission import Submission
from ..judge.grading import grade
from ..judge.score import Grade, evidence_of
from ..key.file import torch_version
from ..key.model import AnswerKey, Exercise
from ..messages.said import Said, said
from ..sandbox.fresh import Workers
from ..sandbox.session import Limits
from .grades import Grades
from .records import Identity, Result, now

MAX_SLOW = 3  # that are named
MAX_REASONS = 3  # why a submission could not be read


class HandedIn(Protocol):
    """What is graded: somebody's files, read only when it is their turn."""

    @property
    def student(self) -> str: ...
    @property
    def handed_in(self) -> datetime | None: ...
    @property
    def origin(self) -> str: ...
    def read(self, topics: tuple[str, ...], exercises: Mapping[str, str]) -> Submission: ...


@dataclass(frozen=True, kw_only=True)
class Work:
    """How a class is graded: with which key, on which exercises, within which limits."""

    key: AnswerKey
    key_id: str
    exercises: Sequence[Exercise]
    limits: Limits
    mode: str  # of isolation: full or process
    workers: Workers

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(exercise.file for exercise in self.exercises))

    @property
    def homes(self) -> dict[str, str]:
        """The topic file of each exercise."""
        return {exercise.name: exercise.file for exercise in self.exercises}

    def identity(self, submission: Submission) -> Identity:
        terms = {"isolation": self.mode, "seconds": self.limits.seconds}
        return Identity(file_hash(submission), self.key_id, self.key.version, json.dumps(terms, sort_keys=True))

    def grade(self, submission: Submission, student: str) -> Grade:
        """The grade; a fault of ours is tried once more, then told, and never becomes a zero."""
        graded = self._once(submission, student)
        return self._once(submission, student) if graded.fault else graded

    def _once(self, submission: Submission, student: str) -> Grade:
        try:
            graded = grade(submission, self.key, self.exercises, self.limits, self.workers, student)
        except Exception as error:  # whatever one submission holds, the class goes on
            graded = Grade(key=self.key, exercises=(), student=student, fault=f"{type(error).__name__}: {error}"[:500])
        return replace(graded, isolation={"mode": self.mode, **(graded.isolation or {})})

    def result(
        self, graded: Grade, student: str, identity: Identity, handed_in: datetime | None, seconds: float
    ) -> Result:
        return Result(
            student=student,
            identity=identity,
            handed_in=handed_in,
            graded_at=now(),
            seconds=round(seconds, 3),
            torch=torch_version(),
            grader=__version__,
            points=graded.points,
            max_points=graded.max_points,
            fault=graded.fault,
            evidence=evidence_of(graded),
        )


@dataclass(kw_only=True)
class Watch:
    """What is going on, for whoever shows it; read and written by several threads."""

    done: int = 0  # this time
    kept: int = 0  # graded before, and not again
    empty: int = 0  # in whose files nothing of the exercises was found
    faults: dict[str, str] = field(default_factory=dict)
    verdicts: Counter[str] = field(default_factory=Counter)
    running: dict[str, float] = field(default_factory=dict)  # since when, monotonic
    stopping: bool = False  # what fails from now on was stopped, and is not to be kept
    took: list[tuple[float, str]] = field(default_factory=list)  # seconds, of the slowest that are done
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def count(self, *, done: int = 0, kept: int = 0, empty: int = 0, verdicts: Iterable[str] = ()) -> None:
        with self.lock:
            self.done, self.kept, self.empty = self.done + done, self.kept + kept, self.empty + empty
            self.verdicts.update(verdicts)

    def failed(self, student: str, fault: str) -> None:
        with self.lock:
            self.faults[student] = fault

    def begin(self, student: str) -> None:
        self.running[student] = time.monotonic()

    def end(self, student: str) -> None:
        began = self.running.pop(student, None)
        if began is not None:
            with self.lock:
                self.took = heapq.nlargest(MAX_SLOW, [*self.took, (time.monotonic() - began, student)])

    def stuck(self, seconds: float) -> list[tuple[float, str]]:
        """Who has been running for longer than `seconds`, and for how many; the longest first."""
        present = time.monotonic()
        times = [(present - since, student) for student, since in self.running.copy().items()]
        return sorted((each for each in times if each[0] >= seconds), reverse=True)


def grade_class(
    grades: Grades, handed: Iterable[HandedIn], work: Work, jobs: int, watch: Watch, tick: Callable[[], None]
) -> None:
    """Grade whatever is not graded yet, `jobs` at a time, and commit each result at once.

    `tick` is called a few times a second, and after each submission.  Stopped by an exception, such as
    KeyboardInterrupt, it leaves nothing running; what was committed stays.
    """

    def one(attempt: HandedIn) -> None:
        watch.begin(attempt.student)
        try:
            _one(grades, attempt, work, watch)
        finally:
            watch.end(attempt.student)

    def stop() -> None:
        watch.stopping = True
        work.workers.stop()

    each(handed, one, jobs, tick, stop)


def _nothing(attempt: HandedIn, submission: Submission, work: Work) -> Said:
    """Why none of somebody's files answers an exercise."""
    if why := submission.unread[:MAX_REASONS]:
        return said("reasons", reasons=why)
    return said("holds-none", shown=attempt.origin, files=work.topics)


def _one(grades: Grades, attempt: HandedIn, work: Work, watch: Watch) -> None:
    start = time.monotonic()
    try:
        submission = attempt.read(work.topics, work.homes)
    except Exception as error:  # as in grading: the class goes on; nothing was read, so that nothing can be kept
        watch.failed(attempt.student, f"{type(error).__name__}: {error}"[:500])
        return
    if not submission.files.keys() & set(work.topics):
        grades.unreadable(attempt.student, _nothing(attempt, submission, work))
        watch.count(empty=1)
        return
    identity = work.identity(submission)
    if grades.take(attempt.student, identity, attempt.handed_in):
        watch.count(kept=1)
        return
    graded = work.grade(submission, attempt.student)
    if graded.fault and watch.stopping:
        return
    result = work.result(graded, attempt.student, identity, attempt.handed_in, time.monotonic() - start)
    grades.add(result, submission)
    watch.count(done=1, verdicts=[verdict.verdict for exercise in graded.exercises for verdict in exercise.verdicts])
    if graded.fault:
        watch.failed(attempt.student, graded.fault)


T = TypeVar("T")


def each(
    items: Iterable[T], one: Callable[[T], None], jobs: int, tick: Callable[[], None], stop: Callable[[], None]
) -> None:
    """Call `one` on every item in `jobs` threads, without asking for many more items than are under way."""
    source = iter(items)
    pool = ThreadPoolExecutor(jobs)
    waiting: set[Future[None]] = set()
    try:
        while True:
            for item in islice(source, 2 * jobs - len(waiting)):
                waiting.add(pool.submit(one, item))
            if not waiting:
                return
            finished, waiting = wait(waiting, 0.25, FIRST_COMPLETED)
            for future in finished:
                future.result()
            tick()
    except BaseException:  # Ctrl-C too: what runs now is not waited for
        stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
