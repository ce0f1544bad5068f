"""JUnit XML: a suite for each student, a case for each check; points stand in the suite's properties."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ..gradebook.standing import Standing
from ..tables import number
from ..text import visible
from .public import PublicCheck, summary, told
from .request import Request

ERRORS = ("error", "timeout", "crashed", "ungradable")


def junit(request: Request) -> Iterator[bytes]:
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="Attention Kata">\n'
    for row in request.rows():
        yield "\n".join(_suite(row)).encode() + b"\n"
    yield b"</testsuites>\n"


def _suite(row: Standing) -> Iterator[str]:
    cases = list(told(row)) if row.points is not None else []
    without = row.status if not cases else ""
    failures = sum(each.verdict == "failed" for each in cases)
    errors = sum(each.verdict in ERRORS for each in cases) + bool(without)
    skipped = sum(each.verdict == "skipped" for each in cases)
    seconds = f"{sum(each.seconds for each in cases):.3f}"
    counts = {"tests": len(cases) or 1, "failures": failures, "errors": errors, "skipped": skipped, "time": seconds}
    yield f" <testsuite{_attributes(name=row.id or 'submission', **counts)}>"
    yield "  <properties>"
    facts = {"status": row.status, "points": number(row.points), "max_points": number(row.max_points)}
    facts |= {"automatic": number(row.automatic), "penalty": number(row.penalty if row.points is not None else None)}
    facts |= {"said": summary(row)}
    facts |= {f"points of {each.exercise}/{each.check}": number(each.points) for each in cases}
    facts |= {f"max_points of {each.exercise}/{each.check}": number(each.max_points) for each in cases}
    for name, value in facts.items():
        if value:
            yield f"   <property{_attributes(name=name, value=value)}/>"
    yield "  </properties>"
    for each in cases:
        yield _case(each)
    if without:  # no case at all would look like a pass
        said = _child("error", summary(row) or without, "")
        yield f"  <testcase{_attributes(classname='submission', name=without)}>{said}</testcase>"
    yield " </testsuite>"


def _case(each: PublicCheck) -> str:
    head = f"  <testcase{_attributes(classname=each.exercise, name=each.title, time=f'{each.seconds:.3f}')}"
    tag = {"failed": "failure", "skipped": "skipped"}.get(each.verdict, "error")
    return f"{head}/>" if each.verdict == "passed" else f"{head}>{_child(tag, each.message, each.hint)}</testcase>"


def _child(tag: str, message: str, hint: str) -> str:
    if tag == "skipped":
        return f"<skipped{_attributes(message=message)}/>"
    return f"<{tag}{_attributes(message=message, type=tag)}>{escape(visible(hint))}</{tag}>"


def _attributes(**values: object) -> str:
    return "".join(f" {name}={quoteattr(visible(str(value)))}" for name, value in values.items())
