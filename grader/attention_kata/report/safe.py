"""Text from students made harmless: visible, then escaped for where it goes.  HTML itself is escaped by Jinja2."""

from __future__ import annotations

import json
import re
from typing import Any

from ..visible import visible as in_full

CUT = 2000  # characters of one text in a report
MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>#|~&$!]"  # emphasis, code, links, images, HTML, tables, entities, formulas
    r"|^[-+=]|(?<=\d)[.)]|\.(?=\S)|:(?=/)|@"  # lists and headings at the start of a line, addresses anywhere
)


def visible(text: str, cut: int = CUT) -> str:
    """`text` on one or several lines, with what a reader could not see (control codes, bidi overrides) spelled out."""
    return in_full(text[:cut]) + ("…" if len(text) > cut else "")


def on_one_line(text: str, cut: int = CUT) -> str:
    """As `visible`, and line ends are spelled out too: for names, ids and titles."""
    return visible(text, cut).replace("\n", "\\n").replace("\t", "\\t")


def markdown(text: str) -> str:
    """`text` as inline CommonMark that shows exactly it: no markup, HTML, link or image comes out of it."""
    return MARKDOWN.sub(r"\\\g<0>", " ".join(visible(text).split()))


def script_json(value: Any) -> str:
    """JSON for inside <script type="application/json">: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
