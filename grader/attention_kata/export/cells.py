"""Texts and numbers of others, as they go into a file that somebody opens: visible, and never a formula."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

BOM = b"\xef\xbb\xbf"
SIGNS = "=+\\-@＝＋－＠﹢﹣﹦﹫−"
BEFORE = "\\s\"'“”„«»‘’`\u200c\u200d"
# After a separator too: a spreadsheet that takes semicolons for separators begins a cell there, quoted or not.
FORMULA = re.compile(rf"(?:\A|(?<=[;|\t\n]))(?=[{BEFORE}]*[{SIGNS}])|\A(?=\t)")
JOINERS = "\u200c\u200d"  # letters of Persian and Indic names need them


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


def safe(text: str) -> str:
    """Text that a spreadsheet shows as it is, and does not run: an apostrophe before what would be a formula."""
    return FORMULA.sub("'", visible(text))


def number(value: float | None) -> str:
    """A number of ours with at most six decimals; missing is empty, and never 0."""
    if value is None:
        return ""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def lines(rows: Iterable[Sequence[str]], bom: bool = False) -> Iterator[bytes]:
    """Rows of cells as CSV: UTF-8, commas, quoted where needed."""
    if bom:
        yield BOM
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in rows:
        writer.writerow(row)
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()
