"""What a finding says when no known mistake explains it: message, evidence in numbers, a question that leads on.

Learners read these at midnight: short, kind, exact, and never the answer.  The sentences themselves stand in
attention_kata.messages.templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..key.model import Array, Check, Exercise
from ..messages.said import Place, Said, Slot, said
from ..sandbox.observation import Lost, Observation, Raised
from ..sandbox.workers import MEMORY_LIMIT_MB
from ..source.absent import Absent, Why
from .compare import Finding, FindingKind
from .numbers import mismatch, place_of
from .recognise import Confidence
from .relations import relation, shape_in_words, shape_relation

AT_IMPORT = {
    "SyntaxError": "hint-syntax",
    "IndentationError": "hint-syntax",
    "TabError": "hint-tabs",
    "ModuleNotFoundError": "hint-modules",
    "ImportError": "hint-import",
}


@dataclass(frozen=True, kw_only=True)
class Words:
    """What there is to say; `confidence` is told where the message comes from the numbers."""

    message: Said
    hint: Said | None = None
    evidence: Said | None = None
    shape: Said | None = None
    confidence: Confidence = Confidence.NONE


def _say(message: Said, hint: str = "", **slots: Slot) -> Words:
    """A message with one of the hints; `slots` are the hint's."""
    return Words(message=message, hint=said(hint, **slots) if hint else None)


def describe(finding: Finding, check: Check, exercise: Exercise, seen: Observation) -> Words:
    """The words for a finding in a check of `exercise`, whose observation is `seen`."""
    return _OF_KIND[finding.kind](finding, exercise, seen)


def beyond_example(words: Words) -> Words:
    """The same for somebody whose result for the prompt's example is right: it is no use to work it through."""
    example = words.hint is not None and words.hint.template == "hint-example"
    return replace(words, hint=said("hint-beyond-example")) if example else words


def _raised(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    assert seen.error is not None
    words = raised(seen.error)
    if "expected" in finding.facts:
        return replace(
            words, message=said("should-raise", expected_error=finding.facts["expected"], inner=words.message)
        )
    return words


def _refused(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    assert seen.refused is not None
    return refused(exercise, seen.refused)


def _timeout(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("unfinished", cause=seen.cause), "hint-loop")


def _crashed(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    no_memory = seen.cause is not None and seen.cause.template == "no-memory"
    return _say(said("ended-python", cause=seen.cause), "hint-too-large" if no_memory else "hint-alone")


def _count(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    facts = finding.facts
    if facts["found"] == ["NoneType"]:
        return _say(said("returns-none"), "hint-return")
    message = said(
        "result-count",
        count=facts["expected"],
        results=tuple(exercise.returns),
        number=len(facts["found"]),
        types=tuple(facts["found"]),
    )
    shapes = said("shapes-returned", shapes=tuple(map(str, facts["shapes"]))) if facts["shapes"] else None
    return Words(message=message, hint=said("hint-return-line"), evidence=shapes)


def _type(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    role = _name(finding) if len(exercise.returns) > 1 else None
    if finding.facts["found"] == "NoneType":
        return _say(said("returns-none", result=role), "hint-return")
    return _say(said("result-type", type=finding.facts["found"], result=role), "hint-tensor")


def _layout(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("layout", result=_name(finding), layout=finding.facts["found"]), "hint-dense")


def _dtype(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    right = finding.found is not None and _roughly(finding.found, finding.expected)
    message = said(
        "dtype-only" if right else "dtype",
        result=_name(finding),
        dtype=finding.facts["found"],
        expected_dtype=finding.facts["expected"],
    )
    words = _say(message, "hint-dtype")
    return replace(words, confidence=Confidence.RELATION) if right else words


def _shape(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    assert finding.expected is not None
    found, expected, axes = tuple(finding.facts["found"]), finding.expected, exercise.axes
    shape = said(
        "shapes",
        result=_name(finding),
        found_shape=shape_in_words(found, axes),
        expected_shape=shape_in_words(expected.shape, axes),
    )
    more = shape_relation(found, expected.shape, axes)
    related = relation(finding.found, expected, axes) if finding.found is not None else None
    return Words(
        message=related or said("shape", result=_name(finding), inner=more),
        hint=said("hint-shapes"),
        evidence=shape,
        shape=shape,
        confidence=Confidence.RELATION if related or more else Confidence.NUMBERS,
    )


def _not_finite(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    assert finding.found is not None
    bad = ~np.isfinite(finding.found)
    place = place_of(tuple(np.argwhere(bad)[0]), finding.found.shape, exercise)
    evidence = said(
        "nan-at" if np.isnan(finding.found).any() else "infinite-at",
        differing=int(bad.sum()),
        total=int(bad.size),
        where=place,
    )
    message = said("not-finite", result=_name(finding))
    return Words(message=message, hint=said("hint-finite"), evidence=evidence, confidence=Confidence.NUMBERS)


def _values(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    assert finding.found is not None
    assert finding.expected is not None
    related = relation(finding.found, finding.expected, exercise.axes)
    evidence = mismatch(finding, exercise)
    if related:
        return Words(message=related, hint=said("hint-formula"), evidence=evidence, confidence=Confidence.RELATION)
    message = said("other-numbers", result=_name(finding))
    return Words(message=message, hint=said("hint-example"), evidence=evidence, confidence=Confidence.NUMBERS)


def _no_gradient(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("no-gradient", result=_name(finding)), "hint-gradient")


def _not_raised(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("not-raised", expected_error=finding.facts["expected"]), "hint-arguments")


def _changed(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("changes-input", changed=seen.changed), "hint-in-place")


def _repeats(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("call-differs"), "hint-left-over")


def _instances(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("module-differs"), "hint-weights")


def _device(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    if not finding.facts:
        return _say(said("made-on-cpu"), "hint-device")
    device, expected = finding.facts["found"], finding.facts["expected"]
    message = said("other-device", result=_name(finding), device=device, expected_device=expected)
    return _say(message, "hint-names-device")


def _operations(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    counts = finding.facts["counts"]
    return _say(said("operations-grow", fewer=counts[0], more=counts[-1]), "hint-at-once")


def _forbidden(finding: Finding, exercise: Exercise, seen: Observation) -> Words:
    return _say(said("calls-forbidden", function=finding.name), "hint-by-hand")


_OF_KIND: Mapping[FindingKind, Callable[[Finding, Exercise, Observation], Words]] = {
    FindingKind.RAISED: _raised,
    FindingKind.REFUSED: _refused,
    FindingKind.TIMEOUT: _timeout,
    FindingKind.CRASHED: _crashed,
    FindingKind.COUNT: _count,
    FindingKind.TYPE: _type,
    FindingKind.LAYOUT: _layout,
    FindingKind.DTYPE: _dtype,
    FindingKind.SHAPE: _shape,
    FindingKind.NOT_FINITE: _not_finite,
    FindingKind.VALUES: _values,
    FindingKind.NO_GRADIENT: _no_gradient,
    FindingKind.NOT_RAISED: _not_raised,
    FindingKind.CHANGED: _changed,
    FindingKind.REPEATS: _repeats,
    FindingKind.INSTANCES: _instances,
    FindingKind.DEVICE: _device,
    FindingKind.OPERATIONS: _operations,
    FindingKind.FORBIDDEN: _forbidden,
}


def raised(error: Raised) -> Words:
    """An exception of the learner's code."""
    place = Place(error.file, error.line) if error.file and error.line else None
    when = said(f"when-{error.stage}") if error.stage != "call" else None
    if _no_memory(error):
        asked = re.search(r"allocate (\d+) bytes", error.message)  # torch's sentence, not one of ours
        slots: dict[str, Slot] = {"place": place, "when": when, "limit": MEMORY_LIMIT_MB}
        if asked:
            return _say(said("out-of-memory-asked", **slots, megabytes=int(asked[1]) >> 20), "hint-too-large")
        return _say(said("out-of-memory", **slots, text=error.message), "hint-too-large")
    if error.type == "SystemExit":
        return _say(said("asked-to-exit", place=place, when=when), "hint-exit")
    if error.type == "NotImplementedError" and 'missing the required "forward"' in error.message:
        return _say(said("no-forward"), "hint-forward")
    if error.type == "NotImplementedError" and place and not error.message:
        return _say(said("not-written", place=place), "hint-not-written")
    if error.stage == "import" and error.type in AT_IMPORT:
        return _say(said("raised", error=error.type, place=place, text=error.message), AT_IMPORT[error.type])
    name = error.type or "?"  # a class may have no name; an empty slot would leave nothing to say
    return _say(said("raised", error=name, place=place, when=when, text=error.message), "hint-print" if place else "")


def _no_memory(error: Raised) -> bool:
    """Whether an exception says that memory ran out: Python's and numpy's by its type, torch's by its text."""
    no_memory = ("can't allocate memory", "Cannot allocate memory")
    return "MemoryError" in error.bases or any(text in error.message for text in no_memory)


def not_imported(file: str, lost: Lost) -> Words:
    """The worker did not survive the import of a topic file."""
    if lost.outcome == "timeout":
        return _say(said("import-unfinished", file=file, cause=lost.cause), "hint-loop-outside")
    return _say(said("import-ended-python", file=file, cause=lost.cause), "hint-ends-outside")


def refused(exercise: Exercise, facts: Mapping[str, object]) -> Words:
    """The submission does not have what the check needs."""
    kind, found, expected = str(facts["kind"]), str(facts.get("found", "")), str(facts.get("expected", ""))
    name, file = exercise.name, exercise.file
    match kind:
        case "missing":
            template = "no-class" if expected == "class" else "no-function"
            return _say(said(template, exercise=name, file=file), "hint-reset", file=file)
        case "not-callable":
            template = "not-a-class" if expected == "class" else "not-a-function"
            return _say(said(template, exercise=name, type=found), "hint-twice")
        case "signature" if expected.isascii() and expected.isdecimal() and len(expected) < 3:
            text = str(facts.get("message", ""))
            return _say(said("signature", count=int(expected), signature=found, text=text), "hint-def")
        case "not-a-module" if found == name:
            return _say(said("not-a-module", exercise=name), "hint-brackets")
        case "not-a-module":
            return _say(said("made-no-module", exercise=name, type=found), "hint-base")
        case "layers":
            return _layers(facts)
    return _say(said("could-not-run", text=kind))


def absent_words(exercise: Exercise, absence: Absent | None) -> Words:
    """The file has no such function or class; `absence` says why, where that can be read."""
    name, file, kind = exercise.name, exercise.file, exercise.asks_for
    if absence is None:
        return refused(exercise, {"kind": "missing", "expected": kind})
    place = Place(file, absence.line)
    match absence.why:
        case Why.MISSPELLED:
            message = said(f"{kind}-misspelled", exercise=name, file=file, name=absence.name, place=place)
            return _say(message, "hint-spelling")
        case Why.INSIDE:
            return _say(said("defined-inside", exercise=name, name=absence.name, place=place), "hint-indented")
        case Why.CLASS:
            return _say(said("class-for-function", exercise=name), "hint-def-or-class")
        case Why.FUNCTION:
            return _say(said("function-for-class", exercise=name), "hint-def-or-class")
    return _say(said(f"{kind}-unwritten", exercise=name, file=file), "hint-stub", file=file)


def _layers(facts: Mapping[str, object]) -> Words:
    missing, shapes, found = facts["missing"], facts["shapes"], facts["found"]
    assert isinstance(missing, list)
    assert isinstance(shapes, list)
    assert isinstance(found, list)
    parts: list[Said] = []
    if missing:
        template = "layers-missing" if found else "layers-all-missing"
        parts.append(said(template, missing=tuple(missing), layers=tuple(found) or None))
    for shape in shapes:
        sizes = {side: str(tuple(shape[side])) for side in ("found", "expected")}
        slots = {"found_shape": sizes["found"], "expected_shape": sizes["expected"]}
        parts.append(said("layer-shape", name=shape["name"], **slots))
    return _say(said("layers", parts=tuple(parts)), "hint-layers")


def _name(finding: Finding) -> str | Said:
    """What the finding is about: the name of a result, or of a gradient."""
    if not finding.name:
        return said("the-result")
    return said("gradient-of", inner=finding.name) if finding.of_gradient else finding.name


def _roughly(found: Array, expected: Array | None) -> bool:
    return expected is not None and found.shape == expected.shape and bool(np.allclose(found, expected, 1e-4, 1e-4))
