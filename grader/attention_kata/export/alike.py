"""Pairs of submissions that are alike, as a table or side by side in a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

import numpy as np
from jinja2 import Environment

from ..gradebook.grades import Grades
from ..gradebook.similarity import RUN, Likeness, Stubs, Token, tokens, winnow
from ..key.model import Array
from ..tables import lines, number, safe
from ..text import visible

HEADER = ("one", "other", "alike", "passages_in_common")
MAX_SHOWN = 50  # pairs side by side
MAX_LINES = 3000  # of one text
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Similar submissions</title>
<style>
body { font-family: sans-serif; margin: 2em } table { border-collapse: collapse; width: 100%; table-layout: fixed }
td { font: 12px monospace; white-space: pre-wrap; vertical-align: top; overflow-wrap: anywhere; padding: 0 .6em }
mark { background: #ffe9a8 }
</style>
<h1>Similar submissions</h1>
<p>{{ note }}</p>
{% for group in found.same %}<p>The same except for layout, comments and names: {{ group | join(", ") | visible }}</p>
{% endfor %}
{% for pair, left, right in shown %}
<h2>{{ pair.first | join(", ") | visible }} and {{ pair.second | join(", ") | visible }}</h2>
<p>{{ "%.0f" | format(100 * pair.alike) }}% alike, {{ pair.shared }} marked passages in common.</p>
<table>{% for one, other in rows(left, right) %}<tr>
{%- for text, marked in (one, other) %}<td>
{%- if marked %}<mark>{{ text | visible }}</mark>{% else %}{{ text | visible }}{% endif %}</td>{% endfor %}</tr>
{% endfor %}</table>
{% endfor %}</html>
"""
Line = tuple[str, bool]  # its text, and whether it is part of something in common


def as_csv(found: Likeness) -> Iterator[bytes]:
    """Groups with the same text are pairs of the first one with each other one."""
    same = [(group[0], other, "100", "") for group in found.same for other in group[1:]]
    pairs = [
        ("; ".join(p.first), "; ".join(p.second), number(round(100 * p.alike, 1)), str(p.shared)) for p in found.pairs
    ]
    yield from lines([HEADER, *((safe(one), safe(other), *rest) for one, other, *rest in [*same, *pairs])])


def as_html(found: Likeness, grades: Grades, stubs: Stubs, note: str) -> Iterator[bytes]:
    """A page that escapes whatever students wrote."""
    sources = {result.student: result.identity.source for result in grades.results()}
    page = Environment(autoescape=True)
    page.filters["visible"] = visible

    def files(student: str) -> Mapping[str, str]:
        return grades.submission(sources[student], student).files

    shown = []
    for pair in found.pairs[:MAX_SHOWN]:
        texts = files(pair.first[0]), files(pair.second[0])
        read = tokens(texts[0], stubs), tokens(texts[1], stubs)
        common = np.intersect1d(winnow(read[0])[0], winnow(read[1])[0])
        shown.append((pair, *(_marked(text, each, common) for text, each in zip(texts, read, strict=True))))
    text = page.from_string(PAGE).render(found=found, shown=shown, note=note, rows=_rows)
    yield text.encode("utf-8", "backslashreplace")


def _marked(files: Mapping[str, str], read: list[Token], common: Array) -> list[Line]:
    """Every line of a submission, and whether a passage in common runs through it."""
    hashes, begins = winnow(read)
    marked = {line for at in begins[np.isin(hashes, common)] for _, line in read[at : at + RUN]}
    texts = [line for _, text in sorted(files.items()) for line in text.splitlines()]
    return [(line, number in marked) for number, line in enumerate(texts[:MAX_LINES], 1)]


def _rows(left: list[Line], right: list[Line]) -> Iterator[tuple[Line, Line]]:
    return zip_longest(left, right, fillvalue=("", False))
