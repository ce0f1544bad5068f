"""What was found about a submission, as the one value that terminal, notebook, reports and exports are made from.

`kata check --json` prints it, the database keeps it (schema 2).  Objects of schema 1, which have texts where these
have messages as data, are read as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

import msgspec

from ..key.model import Category
from ..messages.render import Voice, public_line, render
from ..messages.said import Place, Said, as_text, said
from ..messages.templates import Audience
from .recognise import Confidence

SCHEMA = 2


class VerdictKind(StrEnum):
    """The outcome of one check."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    SKIPPED = "skipped"  # an earlier check makes it meaningless, or it could not be carried out
    UNGRADABLE = "ungradable"  # our fault: never a zero


class State(StrEnum):
    """How far somebody has got with an exercise."""

    PASSED = "passed"
    PARTLY = "partly"
    NONE = "none"
    NEW = "new"


ROOTS = (  # what is said first, since it explains what is wrong below it
    "call-differs", "module-differs", "changes-input", "dtype-only", "dtype", "all-one", "all-number", "all-equal",
    "rows-alike", "sums",
)  # fmt: skip
MARKS = {State.PASSED: "✓", State.PARTLY: "●", State.NONE: "✗", State.NEW: "○"}


class Heat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A small picture of a wrong result: expected and found side by side, as rows of numbers that anything can draw.

    `rows` and `columns` name the axes, `at` says which slice of the others it is, `first` the row and column that
    the numbers begin with; a number that is not finite is None.
    """

    name: str
    rows: str
    columns: str
    at: str
    expected: list[list[float | None]]
    found: list[list[float | None]]
    first: tuple[int, int] = (0, 0)


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers behind a message."""

    first_mismatch: str = ""
    shape: str = ""
    heat: Heat | None = None


class Sayings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The texts of a check as data, from which another audience or language is served."""

    message: Said
    hint: Said | None = None
    first_mismatch: Said | None = None
    shape: Said | None = None


class CheckEvidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One check; texts are those for the learner, in the language of the run."""

    id: str
    category: Category
    title: str
    verdict: VerdictKind
    points: float
    max_points: float
    mistakes: tuple[str, ...]
    confidence: Confidence
    message: str
    hint: str
    details: Details
    learner_line: int | None
    learner_cell: int | None = None
    elsewhere: Place | None = None  # the line that raised, where that is in another file of the learner's
    already_right: tuple[str, ...] = ()
    seconds: float
    said: Sayings | None = None  # None in evidence of schema 1

    @property
    def passed(self) -> bool:
        return self.verdict is VerdictKind.PASSED

    def told(self, voice: Voice) -> str:
        """The message for a reader; in general terms where nothing of it is for them."""
        return render(self._message, voice) or general(self.verdict, voice)

    def withheld(self, voice: Voice) -> bool:
        """Whether this reader may see less of the message than the learner with the public key."""
        return render(self._message, voice) != render(self._message, replace(voice, audience=Audience.LEARNER))

    def asked(self, voice: Voice) -> str:
        """The question that leads on, or the next step."""
        return render(self.said.hint, voice) if self.said is not None else self.hint

    @property
    def public_line(self) -> int | None:
        """`learner_line` for a student whose work was graded with a secret key."""
        return public_line(self.learner_line)

    @property
    def says(self) -> str:
        """The template of the message: what is said, whatever the numbers; "" where that is not known."""
        return self.said.message.template if self.said is not None else ""

    @property
    def cause_known(self) -> bool:
        """Whether checks with this message fail for one reason: the mistake that is named, or the error it tells."""
        if self.mistakes:
            return self.confidence != Confidence.EITHER
        return self.verdict in (VerdictKind.ERROR, VerdictKind.SKIPPED)

    @property
    def depth(self) -> int:
        """How near the message is to the root of what is wrong; the nearest first."""
        message = self._message
        first = message.slots.get("first") if message.template == "fact-then" else message
        return ROOTS.index(first.template) if isinstance(first, Said) and first.template in ROOTS else len(ROOTS)

    @property
    def _message(self) -> Said:
        if self.said is not None:
            return self.said.message
        if self.mistakes:  # then an earlier release kept the catalogue's own words
            return said("mistakes", mistakes=(self.message,))
        return as_text(self.message)


class ExerciseEvidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One exercise with all of its checks."""

    id: str
    file: str
    points: float
    max_points: float
    not_started: bool
    checks: tuple[CheckEvidence, ...]
    key: str = ""  # that it was graded with, where it was graded again by itself

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def state(self) -> State:
        if self.passed:
            return State.PASSED
        if self.not_started:
            return State.NEW
        return State.PARTLY if self.points else State.NONE

    @property
    def failing(self) -> tuple[CheckEvidence, ...]:
        return tuple(check for check in self.checks if not check.passed)

    @property
    def telling(self) -> list[CheckEvidence]:
        """The checks that say something: what failed, roots first, and what was skipped for a reason of its own."""
        failed = [check for check in self.failing if check.verdict is not VerdictKind.SKIPPED]
        failed.sort(key=lambda check: check.depth)
        messages = {check.message for check in failed}
        skipped = (check for check in self.failing if check.verdict is VerdictKind.SKIPPED)
        return failed + [check for check in skipped if check.message not in messages]

    @property
    def causes(self) -> list[list[CheckEvidence]]:
        """The failing checks by their reason; the one that tells it comes first."""
        causes: dict[str, list[CheckEvidence]] = {}
        for check in sorted(self.failing, key=lambda check: (check.verdict is VerdictKind.SKIPPED, check.depth)):
            causes.setdefault(check.message, []).append(check)
        return list(causes.values())

    @property
    def first_failing(self) -> CheckEvidence:
        """The failing check that says most: the root of it, one with a known mistake, then in the course's order."""
        failing = self.telling
        return min(failing, key=lambda check: (check.depth, not check.mistakes))

    def place(self, check: CheckEvidence) -> str:
        """Where in the learner's work a check points: a file and line, or a cell and line of a notebook."""
        where = f"cell {check.learner_cell}" if check.learner_cell is not None else self.file
        return f"{where}, line {check.learner_line}" if check.learner_line else where


def general(verdict: VerdictKind, voice: Voice) -> str:
    """What can be said of any check with this verdict; nothing of one that passes."""
    return "" if verdict is VerdictKind.PASSED else render(said(f"general-{verdict}"), voice)


class CourseVersion(msgspec.Struct, frozen=True):
    """Which course, and which version of it."""

    id: str
    version: str


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One submission."""

    schema: int
    course: CourseVersion
    student: str | None
    points: float
    max_points: float
    exercises: tuple[ExerciseEvidence, ...]
    output: str
    isolation: dict[str, str]
    fault: str = ""  # ours: why checks are ungradable

    @property
    def passed(self) -> bool:
        return all(exercise.passed for exercise in self.exercises)

    @property
    def checks(self) -> Iterator[tuple[ExerciseEvidence, CheckEvidence]]:
        """All checks with their exercises."""
        return ((exercise, check) for exercise in self.exercises for check in exercise.checks)

    def for_student(self) -> Voice:
        """How its student is spoken to where the key is secret."""
        return Voice(Audience.PUBLIC, files=frozenset(exercise.file for exercise in self.exercises))


def to_json(evidence: Evidence) -> dict[str, Any]:
    """The object that is written."""
    written = msgspec.to_builtins(evidence)
    assert isinstance(written, dict)
    return written


def from_json(written: Mapping[str, Any]) -> Evidence:
    """The evidence in an object of schema 1 or 2.  msgspec.ValidationError for anything else."""
    evidence = msgspec.convert(written, Evidence)
    if not 1 <= evidence.schema <= SCHEMA:
        raise msgspec.ValidationError(f"schema {evidence.schema} where {SCHEMA} is the latest known")
    return evidence


def json_bytes(value: Any) -> bytes:
    """JSON as UTF-8.  What UTF-8 cannot hold, such as a byte of a folder's name, becomes a JSON escape."""
    return json.dumps(value, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace")


def class_json(submissions: Iterable[Evidence]) -> Iterator[bytes]:
    """One JSON object with the objects of a class, one after the other."""
    yield f'{{"schema": {SCHEMA}, "submissions": ['.encode()
    for number, submission in enumerate(submissions):
        yield (b",\n" if number else b"\n") + json_bytes(to_json(submission))
    yield b"\n]}\n"
