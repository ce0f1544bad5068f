"""What is written down about a class: who is in it, what was handed in, what came of it, what was decided by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from ..judge.evidence import Evidence
from ..messages.said import Said


def now() -> datetime:
    return datetime.now(UTC)


class Status(StrEnum):
    """How far somebody's submission has come; only what is `graded` has points of its own."""

    GRADED = "graded"
    MISSING = "missing"  # on the roster, nothing handed in
    UNREADABLE = "unreadable"  # what was handed in could not be read
    UNGRADABLE = "ungradable"  # our fault: grade again
    WAITING = "waiting"  # handed in, not graded yet


@dataclass(frozen=True)
class Identity:
    """What makes a result of a student the same result: nothing is run again for it."""

    source: str  # hash of the files
    key: str
    version: str  # of the course
    limits: str  # JSON: seconds, isolation


@dataclass(frozen=True, kw_only=True)
class Result:
    """One grading of one submission, with its evidence."""

    student: str
    identity: Identity
    handed_in: datetime | None
    graded_at: datetime
    seconds: float
    torch: str
    grader: str
    points: float
    max_points: float
    fault: str
    evidence: Evidence


@dataclass(frozen=True)
class Handed:
    """One attempt of a student, as it was found."""

    label: str
    origin: str
    handed_in: datetime | None = None
    late: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Student:
    """`roster` holds the columns of the roster; None for somebody who is not on it."""

    id: str
    name: str = ""
    email: str = ""
    roster: Mapping[str, str] | None = None
    extension: float = 0.0  # seconds
    problem: Said | None = None  # why nothing could be read


@dataclass(frozen=True, kw_only=True)
class Adjustment:
    """A score (or only a comment) given by hand, for a check, or for the submission where both names are empty."""

    student: str
    exercise: str = ""
    check: str = ""
    points: float | None = None
    comment: str = ""
    automatic: float | None = None  # what the grader had given when this was decided
    made_at: datetime
