"""Spans of time, as messages."""

from __future__ import annotations

from .said import Said, said

UNITS = (("week", 604800), ("day", 86400), ("hour", 3600), ("minute", 60))


def span(seconds: float) -> Said | None:
    """A time in its two largest units: `1 day 3 hours`."""
    left, parts = int(seconds), []
    for name, size in UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(said(f"span-{name}", count=count))
    if not parts:
        return said("span-moment") if seconds > 0 else None
    return said("span", first=parts[0], second=parts[1] if len(parts) > 1 else None)
