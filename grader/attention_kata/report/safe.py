"""Text from students made harmless: visible, then escaped for where it goes.  HTML itself is escaped by Jinja2."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

JOINERS = "\u200c\u200d"  # part of how Persian, Hindi and emoji are written
CUT = 2000  # characters of one text in a report
MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>#|~&$!]"  # emphasis, code, links, images, HTML, tables, entities, formulas
    r"|^[-+=]|(?<=\d)[.)]|\.(?=\S)|:(?=/)|@"  # lists and headings at the start of a line, addresses anywhere
)


def visible(text: str, cut: int = CUT) -> str:
    """`text` on one or several lines, with what a reader could not see (control codes, bidi overrides) spelled out."""
    kept = text[:cut]
    shown = kept if kept.isprintable() else "".join(map(_visible, kept))
    return shown + "…" if len(text) > cut else shown


def on_one_line(text: str, cut: int = CUT) -> str:
    """As `visible`, and line ends are spelled out too: for names, ids and titles."""
    return visible(text, cut).replace("\n", "\\n").replace("\t", "\\t")


def _visible(c: str) -> str:
    category = unicodedata.category(c)
    if c in "\n\t" or c in JOINERS or category[0] not in "CZ" or c == " " or category == "Zs":
        return c
    return f"\\x{ord(c):02x}" if ord(c) < 256 else f"U+{ord(c):04X}"


def markdown(text: str) -> str:
    """`text` as inline CommonMark that shows exactly it: no markup, HTML, link or image comes out of it."""
    return MARKDOWN.sub(r"\\\g<0>", " ".join(visible(text).split()))


def script_json(value: Any) -> str:
    """JSON for inside <script type="application/json">: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
