"""Late submissions: how late, and what that costs.  Nothing here runs or reads a submission."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

DAY = 86400.0
UNITS = {"m": 60.0, "h": 3600.0, "d": DAY, "w": 7 * DAY}


class BadPolicy(ValueError):
    """A late policy, a span or a date that cannot be read; the message says what can."""


@dataclass(frozen=True)
class LatePolicy:
    """What is taken off a late submission's points, as a fraction of them.

    `per_day` for each day begun; or `steps`, (seconds late, fraction) pairs of which the last one passed counts.
    Never more than `cap`.  Written as `none`, `per-day 10%`, `steps 1h 5%, 1d 20%`, each with `cap 50%`.
    """

    per_day: float = 0.0
    steps: tuple[tuple[float, float], ...] = ()
    cap: float = 1.0

    def penalty(self, seconds_late: float) -> float:
        """The fraction (0 to 1) that is taken off."""
        if seconds_late <= 0:
            return 0.0
        passed = [fraction for after, fraction in self.steps if seconds_late > after]
        fraction = passed[-1] if passed else self.per_day * -(-seconds_late // DAY)
        return min(fraction, self.cap)

    def __str__(self) -> str:
        if self.per_day:
            text = f"per-day {_percent(self.per_day)}"
        elif self.steps:
            text = "steps " + ", ".join(f"{_span(after)} {_percent(fraction)}" for after, fraction in self.steps)
        else:
            return "none"
        return text + (f" cap {_percent(self.cap)}" if self.cap < 1 else "")


def read_policy(text: str) -> LatePolicy:
    """BadPolicy when `text` is none of the forms of LatePolicy."""
    body, capped, cap_text = text.strip().lower().partition("cap")
    cap = _fraction(cap_text) if capped else 1.0
    kind, _, rest = body.strip().partition(" ")
    if kind == "none" and not rest and not capped:
        return LatePolicy()
    if kind == "per-day" and rest:
        return LatePolicy(per_day=_fraction(rest), cap=cap)
    if kind == "steps" and rest:
        steps = [step.split() for step in rest.strip(" ,").split(",")]
        if all(len(step) == 2 for step in steps):
            pairs = tuple((read_span(after), _fraction(fraction)) for after, fraction in steps)
            if all(a < b and little <= much for (a, little), (b, much) in itertools.pairwise(pairs)):
                return LatePolicy(steps=pairs, cap=cap)
            raise BadPolicy(
                f"the steps of {text!r} are not in rising order: write the shortest delay and the smallest loss first"
            )
    raise BadPolicy(f"{text!r} is not a late policy: write none, 'per-day 10% cap 50%' or 'steps 1h 5%, 1d 20%'")


def read_span(text: str) -> float:
    """Seconds of a span such as 90m, 12h, 2d or 1w."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([mhdw])", text.strip().lower(), re.ASCII)
    if not found or float(found[1]) > 10_000:
        raise BadPolicy(f"{text!r} is not a span of time: write 90m, 12h, 2d or 1w")
    return float(found[1]) * UNITS[found[2]]


def read_time(text: str) -> datetime:
    """A moment such as `2026-12-01 23:59`, with its zone (`+01:00`, `Z`) or this machine's -> UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadPolicy(f"{text!r} is not a date: write 2026-12-01 23:59, or 2026-12-01T23:59+01:00") from None
    if re.fullmatch(r"\d{4}-?\d\d-?\d\d", text.strip(), re.ASCII):
        moment = moment.replace(hour=23, minute=59, second=59)  # a day is over when it ends
    try:
        return moment.astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        raise BadPolicy(f"{text!r} is out of range: write a year such as 2026") from None


def seconds_late(handed_in: datetime | None, due: datetime | None, extension: float) -> float:
    """How long after the due date and the student's own extension; 0 when in time or not known."""
    if handed_in is None or due is None:
        return 0.0
    return max(0.0, (handed_in - due - timedelta(seconds=extension)).total_seconds())


def _fraction(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text.strip(), re.ASCII)
    if not found or float(found[1]) > 100:
        raise BadPolicy(f"{text.strip()!r} is not a percentage: write one between 0% and 100%")
    return float(found[1]) / 100


def _percent(fraction: float) -> str:
    return f"{round(100 * fraction, 6):g}%"


def _span(seconds: float) -> str:
    unit = next((unit for unit in reversed(UNITS) if seconds % UNITS[unit] == 0), "m")
    return f"{seconds / UNITS[unit]:g}{unit}"
