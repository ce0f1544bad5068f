"""What there is to say of a submission as a whole: why it has no grade, what lateness costs, a total set by hand."""

from __future__ import annotations

from ..messages.render import Voice
from ..messages.said import Said, said
from ..messages.spans import span
from ..messages.templates import Audience
from .standing import Standing

TO_STUDENT = Voice(Audience.PUBLIC)


def no_grade(row: Standing) -> Said | None:
    """Why nothing was graded."""
    return said(f"status-{row.status}") if row.status != "graded" else None


def lateness(row: Standing) -> Said | None:
    """How late it was, and what that costs."""
    if not row.seconds_late or row.points is None or row.before_late is None:
        return None
    if not row.penalty:
        return said("late-free", span=span(row.seconds_late))
    return said(
        "late-costs",
        span=span(row.seconds_late),
        percent=f"{round(100 * row.penalty, 1):g}%",
        before=round(row.before_late, 2),
        lost=round(row.before_late - row.points, 2),
        points=round(row.points, 2),
    )


def total_by_hand(points: float) -> Said:
    return said("total-by-hand", points=round(points, 2))
