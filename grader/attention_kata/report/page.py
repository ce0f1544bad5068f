"""Pages from templates: one file each, that loads nothing and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ..gradebook.records import Status
from ..text import clipped, on_one_line, script_json
from . import format as words
from .gather import ClassReport
from .glance import spread
from .heats import as_json
from .rows import LARGE

TEMPLATES = Path(__file__).parent / "templates"


def class_page(report: ClassReport, written_at: str) -> Iterator[str]:
    """The page of a class, in pieces."""
    heats = report.heats.chosen()
    return page(
        "report.html.jinja",
        styles=("base.css", "report.css"),
        script="report.js",
        report=report,
        spread=spread(report.glance),
        statuses=tuple(Status),
        heats=Markup(script_json([as_json(way) for way in heats])),
        heats_shown=len(heats),
        large=LARGE,
        written_at=written_at,
    )


def page(template: str, *, styles: tuple[str, ...], script: str = "", **values: Any) -> Iterator[str]:
    """A template with its styles and script in it, and a policy that forbids all others."""
    style, code = "".join(map(_asset, styles)), _asset(script) if script else ""
    return (
        environment()
        .get_template(template)
        .generate(style=Markup(style), script=Markup(code), policy=_policy(style, code), **values)
    )


@cache
def environment() -> Environment:
    """Whatever a template prints is made clipped and escaped; only Markup is printed as it is."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_printed,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["lines"] = lambda text: Markup(escape(clipped(text)))
    for function in (words.number, words.percent, words.moment, words.span, words.times):
        made.filters[function.__name__] = function
    made.globals["MARKS"] = words.MARKS
    return made


def _printed(value: Any) -> Any:
    return on_one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Content-Security-Policy: this style and this script by their hashes, and nothing else from anywhere."""
    code = _source(script) if script else "'none'"
    return f"default-src 'none'; style-src {_source(style)}; script-src {code}; base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
