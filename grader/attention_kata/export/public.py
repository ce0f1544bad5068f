"""What a student may read of a verdict on a platform, where their work was graded with a secret key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..gradebook.about import TO_STUDENT, lateness, no_grade
from ..gradebook.standing import Standing
from ..judge.evidence import CheckEvidence, VerdictKind
from ..messages.render import Voice, render
from ..messages.said import said
from ..messages.templates import FILES
from .table import comments


@dataclass(frozen=True, kw_only=True)
class PublicCheck:
    """One check, as its student may read it."""

    exercise: str
    check: str
    title: str
    verdict: VerdictKind
    points: float
    max_points: float
    message: str
    hint: str
    file: str
    line: int | None  # None in a notebook: it counts in a cell there, and not in the file
    seconds: float

    @property
    def full(self) -> bool:
        """Whether all the points are given; a check without points passes by its verdict."""
        return self.points >= self.max_points if self.max_points else self.verdict is VerdictKind.PASSED


def told(row: Standing) -> Iterator[PublicCheck]:
    """Every check of `row`, with its points as decided by hand or else as graded."""
    if row.result is None:
        return
    evidence = row.result.evidence
    voice = evidence.for_student()
    for exercise, check in evidence.checks:
        yield PublicCheck(
            exercise=exercise.id,
            check=check.id,
            title=check.title,
            verdict=check.verdict,
            points=row.check_points(exercise.id, check),
            max_points=check.max_points,
            message=message(check, voice),
            hint="" if check.passed else check.asked(voice),
            file=exercise.file,
            line=None if check.passed or check.learner_cell is not None else check.public_line,
            seconds=check.seconds,
        )


def message(check: CheckEvidence, voice: Voice) -> str:
    """Why a check does not pass, and that `kata check` says more where it does."""
    match check.verdict:
        case VerdictKind.PASSED:
            return ""
        case VerdictKind.SKIPPED if check.says != "hidden-calls":
            return render(said("skipped-elsewhere"), voice)
        case VerdictKind.UNGRADABLE:
            return check.told(voice)
    text = check.told(voice)
    more = check.withheld(voice) and check.says not in FILES and not check.mistakes
    return f"{text} {render(said('says-more'), voice)}" if more else text


def summary(row: Standing) -> str:
    """What there is to say of the whole submission: why there is no grade, what was decided by hand, lateness."""
    about = no_grade(row) if row.points is None else lateness(row) if row.penalty else None
    return "\n".join(filter(None, (render(about, TO_STUDENT), *comments(row))))
