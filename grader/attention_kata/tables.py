"""Texts and numbers of others, as they go into a file that somebody opens: visible, and never a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from .text import visible

BOM = b"\xef\xbb\xbf"
SIGNS = "=+\\-@＝＋－＠﹢﹣﹦﹫−"
BEFORE = "\\s\"'“”„«»‘’`\u200c\u200d"
# After a separator too: a spreadsheet that takes semicolons for separators begins a cell there, quoted or not.
FORMULA = re.compile(rf"(?:\A|(?<=[;|\t\n]))(?=[{BEFORE}]*[{SIGNS}])|\A(?=\t)")


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
