"""JUnit XML: a suite for each student, a case for each check; points stand in the suite's properties."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ..gradebook.standing import Standing
from ..tables import number
from ..text import visible
from .public import PublicCheck, summary, told
from .request import Request

ERRORS = ("error", "timeout", "crashed", "ungradable")


def junit(request: Request) -> Iterator[bytes]:
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="Attention Kata">\n'
    for row in request.rows():
        suite = _suite(row)
        indent(suite, " ", 1)
        yield b" " + tostring(suite, "unicode").encode() + b"\n"
    yield b"</testsuites>\n"


def _suite(row: Standing) -> Element:
    cases = list(told(row)) if row.points is not None else []
    without = row.status if not cases else ""
    suite = Element("testsuite", _visible(
        name=row.id or "submission",
        tests=len(cases) or 1,
        failures=sum(each.verdict == "failed" for each in cases),
        errors=sum(each.verdict in ERRORS for each in cases) + bool(without),
        skipped=sum(each.verdict == "skipped" for each in cases),
        time=_seconds(sum(each.seconds for each in cases)),
    ))  # fmt: skip
    facts = {"status": row.status, "points": number(row.points), "max_points": number(row.max_points)}
    facts |= {"automatic": number(row.automatic), "penalty": number(row.penalty if row.points is not None else None)}
    facts |= {"said": summary(row)}
    facts |= {f"points of {each.exercise}/{each.check}": number(each.points) for each in cases}
    facts |= {f"max_points of {each.exercise}/{each.check}": number(each.max_points) for each in cases}
    properties = SubElement(suite, "properties")
    for name, value in facts.items():
        if value:
            SubElement(properties, "property", _visible(name=name, value=value))
    for each in cases:
        _add_case(suite, each)
    if without:  # no case at all would look like a pass
        case = SubElement(suite, "testcase", _visible(classname="submission", name=without))
        SubElement(case, "error", _visible(message=summary(row) or without, type="error"))
    return suite


def _add_case(suite: Element, each: PublicCheck) -> None:
    head = _visible(classname=each.exercise, name=each.title, time=_seconds(each.seconds))
    case = SubElement(suite, "testcase", head)
    if each.verdict == "skipped":
        SubElement(case, "skipped", _visible(message=each.message))
    elif each.verdict != "passed":
        tag = "failure" if each.verdict == "failed" else "error"
        SubElement(case, tag, _visible(message=each.message, type=tag)).text = visible(each.hint)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _visible(**values: object) -> dict[str, str]:
    """Attributes without the characters that XML cannot hold."""
    return {name: visible(str(value)) for name, value in values.items()}
