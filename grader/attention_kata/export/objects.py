"""Everything as one JSON object, written one submission at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..gradebook.standing import Standing
from ..judge.evidence import SCHEMA, to_json
from .request import Request

# Exact for whoever reads the JSON, and harmless on a terminal: what moves a cursor or a direction stays an escape.
UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def objects(request: Request) -> Iterator[bytes]:
    """`{"schema": 2, "submissions": [...]}`: each the object of `kata check --json` with `grade` added."""
    yield b'{"schema": %d, "submissions": [' % SCHEMA
    before = b"\n"
    for row in request.rows():
        yield before + json_text(submission(row))
        before = b",\n"
    yield b"\n]}\n"


def submission(row: Standing) -> dict[str, Any]:
    """The evidence, where there is any, and what became of it."""
    evidence = to_json(row.result.evidence) if row.result is not None else {"schema": SCHEMA}
    return {**evidence, "student": row.id, "name": row.student.name, "email": row.student.email, "grade": grade(row)}


def grade(row: Standing) -> dict[str, Any]:
    """The final grade and how it came about; null where there is none."""
    known = row.points is not None
    return {
        "status": row.status,
        "points": row.points,
        "max_points": row.max_points,
        "automatic": row.automatic,
        "before_late": row.before_late,
        "penalty": row.penalty if known else None,
        "handed_in": row.handed_in.isoformat() if row.handed_in else None,
        "seconds_late": row.seconds_late if row.handed_in else None,
        "adjustments": [
            {
                "exercise": each.exercise or None,
                "check": each.check or None,
                "points": each.points,
                "comment": each.comment,
                "made_at": each.made_at.isoformat(),
            }
            for each in (row.adjustments or {}).values()
        ],
    }


def json_text(value: Any, indent: int | None = None) -> bytes:
    """JSON in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    shown = UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return shown.encode("utf-8", "backslashreplace")  # half a character becomes a JSON escape
