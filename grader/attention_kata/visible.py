"""Text of others, with whatever a reader could not see spelled out."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"  # letters of Persian and Indic names need them, and so do emoji


def visible(text: str) -> str:
    """Text without control characters, direction marks and halves of characters: they are written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if _shows(c) else _escape(c) for c in text.replace("\r\n", "\n"))


def _shows(c: str) -> bool:
    return c in "\n\t" + JOINERS or not (unicodedata.category(c)[0] == "C" or c in "\u2028\u2029")


def _escape(c: str) -> str:
    n = ord(c)
    return f"\\x{n:02x}" if n < 0x100 else f"\\u{n:04x}" if n < 0x10000 else f"\\U{n:08x}"
