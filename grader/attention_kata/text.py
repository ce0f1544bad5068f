"""Text of strangers, with whatever a reader could not see spelled out, and made harmless for where it goes.

HTML itself is escaped by Jinja2.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

JOINERS = "\u200c\u200d"  # letters of Persian and Indic names need them, and so do emoji
MAX_SHOWN = 200  # characters of a name
CUT = 2000  # characters of one text in a report
MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>#|~&$!]"  # emphasis, code, links, images, HTML, tables, entities, formulas
    r"|^[-+=]|(?<=\d)[.)]|\.(?=\S)|:(?=/)|@"  # lists and headings at the start of a line, addresses anywhere
)


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


def clipped(text: str, cut: int = CUT) -> str:
    """As `visible`, and not longer than `cut` characters."""
    return visible(text[:cut]) + ("…" if len(text) > cut else "")


def on_one_line(text: str, cut: int = CUT) -> str:
    """As `clipped`, and line ends are spelled out too: for names, ids and titles."""
    return clipped(text, cut).replace("\n", "\\n").replace("\t", "\\t")


def plain(text: str) -> str:
    """A name that a stranger chose, on one line: what cannot be printed, or turns the writing round, as an escape."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:MAX_SHOWN])
    return shown + ("..." if len(text) > MAX_SHOWN else "")


def natural(text: str) -> tuple[tuple[tuple[int, int | str], ...], str]:
    """A key that sorts ada2 before ada10; names that differ never come out equal."""
    parts = re.split(r"([0-9]{1,18})", text.casefold())
    return tuple((0, int(part)) if i % 2 else (1, part) for i, part in enumerate(parts)), text


def markdown(text: str) -> str:
    """`text` as inline CommonMark that shows exactly it: no markup, HTML, link or image comes out of it."""
    return MARKDOWN.sub(r"\\\g<0>", " ".join(clipped(text).split()))


def script_json(value: Any) -> str:
    """JSON for inside <script type="application/json">: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
