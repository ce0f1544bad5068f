"""Names that strangers chose, made fit to be shown."""

from __future__ import annotations

import re

MOST_SHOWN = 200  # characters of a name


def plain(text: str) -> str:
    """`text` on one line: what cannot be printed, or turns the writing round, as an escape."""
    shown = "".join(letter if letter.isprintable() else _escape(letter) for letter in text[:MOST_SHOWN])
    return shown + ("..." if len(text) > MOST_SHOWN else "")


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def natural(text: str) -> tuple[tuple[tuple[int, int | str], ...], str]:
    """A key that sorts ada2 before ada10; names that differ never come out equal."""
    parts = re.split(r"([0-9]{1,18})", text.casefold())
    return tuple((0, int(part)) if i % 2 else (1, part) for i, part in enumerate(parts)), text
