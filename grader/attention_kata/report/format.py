"""Numbers and moments of a report in words."""

from __future__ import annotations

from datetime import datetime

from ..messages import spans
from ..messages.render import render

MARKS = {
    "passed": "✓",
    "failed": "✗",
    "error": "✗",
    "timeout": "✗",
    "crashed": "✗",
    "skipped": "–",
    "ungradable": "?",
}


def number(value: float | None) -> str:
    """Points, with at most two decimals; an en dash where there is none."""
    return "–" if value is None else f"{round(value, 2):.10g}"


def percent(share: float) -> str:
    return f"{round(100 * share, 1):g}%"


def moment(value: datetime | None) -> str:
    return "–" if value is None else f"{value:%Y-%m-%d %H:%M} UTC"


def span(seconds: float) -> str:
    """A time in its two largest units: `1 day 3 hours`."""
    return render(spans.span(seconds))


def times(count: int, one: str, many: str = "") -> str:
    """`1 student`, `2 students`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
