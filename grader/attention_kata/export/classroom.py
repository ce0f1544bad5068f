"""GitHub Classroom: what a grader step hands to the reporter, a JSON object in base64."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from ..gradebook.standing import Standing
from ..text import visible
from .public import PublicCheck, summary, told
from .request import Request

STATUS = {"passed": "pass", "failed": "fail"}


def classroom(request: Request) -> Iterator[bytes]:
    yield base64.b64encode(json.dumps(result(request.one())).encode()) + b"\n"


def result(row: Standing) -> dict[str, Any]:
    """Its scores add up to the final grade; without a grade its status is `error`."""
    if row.points is None:
        test = _entry("submission", "error", 0.0, visible(summary(row)))
        return {"version": 1, "status": "error", "max_score": row.max_points, "tests": [test]}
    tests = [_test(each) for each in told(row)]
    rest = round(row.points - sum(test["score"] for test in tests), 6)
    if rest:
        tests.append(_entry("decisions by hand, and lateness", "fail" if rest < 0 else "pass", rest, summary(row)))
    status = "pass" if row.points >= row.max_points else "fail"
    return {"version": 1, "status": status, "max_score": row.max_points, "tests": tests}


def _test(each: PublicCheck) -> dict[str, Any]:
    status = "pass" if each.full else STATUS.get(each.verdict, "error")
    said = " ".join(filter(None, (each.message, each.hint)))
    return _entry(f"{each.exercise}: {each.title}", status, each.points, said, each)


def _entry(name: str, status: str, score: float, said: str, each: PublicCheck | None = None) -> dict[str, Any]:
    return {
        "name": visible(name),
        "status": status,
        "score": score,
        "message": visible(said),
        "test_code": "",
        "filename": each.file if each else "",
        "line_no": (each.line if each else None) or 0,
        "duration": round(each.seconds, 3) if each else 0,
    }
