"""Gradescope: results.json for one student."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..gradebook.standing import Standing
from ..text import visible
from .objects import json_text
from .public import PublicCheck, summary, told
from .request import Request


def gradescope(request: Request) -> Iterator[bytes]:
    yield json_text(results(request.one()), indent=1) + b"\n"


def results(row: Standing) -> dict[str, Any]:
    """Without a score where there is no grade: Gradescope then says that grading failed, which is not a zero."""
    graded = row.points is not None
    return {
        **({"score": row.points} if graded else {}),
        "output": visible(summary(row)),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(number, each) for number, each in enumerate(told(row), 1)] if graded else [],
    }


def _test(number: int, each: PublicCheck) -> dict[str, Any]:
    return {
        "name": visible(f"{each.exercise}: {each.title}"),
        "name_format": "text",
        "number": str(number),
        "score": each.points,
        "max_score": each.max_points,
        "status": "passed" if each.full else "failed",
        "output": visible("\n".join(filter(None, (each.message, each.hint)))),
        "output_format": "text",
        "tags": [each.exercise],
        "visibility": "visible",
    }
