"""Two small pictures of one wrong result, what was expected and what was found, as HTML tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..judge.evidence import Heat

Rows = Sequence[Sequence[float | None]]
CELL = "padding:1px 4px;text-align:right;font:11px ui-monospace,monospace;border:1px solid #8884"
TOLERANCE = 2e-3  # numbers come rounded to three digits


def heat_maps(heat: Heat) -> str:
    """Wrong numbers have a red frame, both pictures one scale of colours."""
    expected, found = heat.expected, heat.found
    numbers = [abs(number) for rows in (expected, found) for row in rows for number in row if number is not None]
    most = max(numbers, default=0.0) or 1.0
    where = f" at {heat.at}" if heat.at else ""
    axes = f"{heat.rows} down, {heat.columns} across"
    title = f"<div style='opacity:.7;font-size:90%'>{escape(heat.name)}{escape(where)}: {escape(axes)}</div>"
    tables = _table("expected", expected, expected, most) + _table("found", found, expected, most)
    both = f"<div style='display:flex;gap:1.5em;flex-wrap:wrap'>{tables}</div>"
    return f"<div style='margin:.4em 0 .4em 1.5em'>{title}{both}</div>"


def _table(title: str, rows: Rows, right: Rows, most: float) -> str:
    body = "".join(
        f"<tr>{''.join(_cell(number, wanted, most) for number, wanted in zip(row, wanted_row, strict=False))}</tr>"
        for row, wanted_row in zip(rows, right, strict=False)
    )
    table = f"<table style='border-collapse:collapse;margin:0'>{body}</table>"
    return f"<div><div style='font-size:90%'>{title}</div>{table}</div>"


def _cell(number: float | None, wanted: float | None, most: float) -> str:
    """One number: blue above zero, orange below, the stronger the larger."""
    if number is None:
        return f"<td style='{CELL};background:#f4433655;outline:2px solid #cf222e'>not finite</td>"
    hue = "33,102,172" if number >= 0 else "230,110,20"
    wrong = wanted is None or abs(number - wanted) > TOLERANCE * max(1.0, abs(wanted))
    frame = ";outline:2px solid #cf222e;outline-offset:-2px" if wrong else ""
    return f"<td style='{CELL};background:rgba({hue},{0.75 * min(abs(number) / most, 1.0):.2f}){frame}'>{number:g}</td>"
