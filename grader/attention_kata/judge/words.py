"""Findings in words: what went wrong, the evidence in numbers, and a question that leads on.

Learners read these at midnight: short, kind, exact, and never the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..key.model import Array, Check, Exercise
from ..sandbox.observation import Observation, Raised
from ..sandbox.workers import MEMORY_LIMIT
from .compare import Finding
from .numbers import mismatch, place_of
from .relations import relation, shape_in_words, shape_relation

RETURN = "Is there a return statement at the end, and is it inside the function?"
RUN_ALONE = "Run this call alone in a Python session to see why."
TOO_LARGE = "How many numbers does the largest tensor hold here? Does anything grow in a loop?"
WHEN = {
    "build": ", while the module was made",
    "backward": ", on the way back to the gradients",
    "second call": ", in a second call with the same inputs",
    "import": ", while the file was imported",
}
UNREADABLE = "Python cannot read the file from there on: look at this line and at the one above it."
AT_IMPORT = {
    "SyntaxError": UNREADABLE,
    "IndentationError": UNREADABLE,
    "TabError": "Indent with spaces only: most editors can turn tabs into spaces.",
    "ModuleNotFoundError": "Only torch, the standard library and your own files can be imported.",
    "ImportError": "Is the name spelled as in the file it comes from?",
}


@dataclass(frozen=True)
class Words:
    message: str
    hint: str = ""
    evidence: str = ""
    shape: str = ""
    confidence: str = ""  # "relation" or "numbers" when the message comes from the numbers


def describe(finding: Finding, check: Check, exercise: Exercise, seen: Observation) -> Words:
    """What a finding says when no known mistake explains it."""
    facts = finding.facts
    what = finding.name or "the result"
    match finding.kind:
        case "raised":
            assert seen.error is not None
            said = raised(seen.error)
            if "expected" in facts:
                return replace(said, message=f"It should raise {facts['expected']} here. {said.message}")
            return said
        case "refused":
            assert seen.refused is not None
            return refused(exercise, seen.refused)
        case "timeout":
            return Words(
                f"It did not finish: {facts['cause']}.",
                "Is there a loop whose condition never becomes false?",
            )
        case "crashed":
            hint = TOO_LARGE if "out of memory" in facts["cause"] else RUN_ALONE
            return Words(f"Python itself ended: {facts['cause']}.", hint)
        case "count":
            expected = " and ".join(exercise.returns)
            if facts["found"] == ["NoneType"]:
                return Words("It returns None.", RETURN)
            due = f"{facts['expected']} result{'' if facts['expected'] == 1 else 's'} ({expected})"
            found = ", ".join(_kind(name) for name in facts["found"]) or "nothing"
            return Words(
                f"It should return {due}; it returned {len(facts['found'])}: {found}.",
                "Compare your return line with the exercise's first lines.",
                f"shapes returned: {', '.join(map(str, facts['shapes']))}" if facts["shapes"] else "",
            )
        case "type":
            role = f" as {what}" if len(exercise.returns) > 1 else ""
            if facts["found"] == "NoneType":
                return Words(f"It returns None{role}.", RETURN)
            return Words(
                f"It returns {_kind(facts['found'])}{role}; a torch tensor was expected.",
                "Where did it stop being a tensor?",
            )
        case "layout":
            return Words(
                f"{_capital(what)}: a {facts['found']} tensor was returned, a dense one was expected.",
                "Which call leaves out the zeros?",
            )
        case "dtype":
            right = finding.found is not None and _roughly(finding.found, finding.expected)
            subject = f"The numbers are right, but {what}" if right else _capital(what)
            return Words(
                f"{subject} has dtype {facts['found']} where {facts['expected']} was expected.",
                "Which line makes a tensor without saying its dtype?",
                confidence="relation" if right else "",
            )
        case "shape":
            return _shape(finding, exercise, what)
        case "non-finite":
            return _non_finite(finding, exercise, what)
        case "values":
            return _values(finding, check, exercise)
        case "no-gradient":
            return Words(
                f"No gradient reaches {what}.",
                "Which step on the way to the result forgets where its numbers came from?",
            )
        case "not-raised":
            return Words(
                f"It should raise {facts['expected']} here and did not.",
                "Which arguments does the exercise say must be refused?",
            )
        case "changed":
            return Words(
                f"It changes {what}, which belongs to the caller.",
                "Which line writes into a tensor it was given instead of making a new one?",
            )
        case "repeats":
            return Words(
                "A second call with the same inputs gives another result.",
                "What is left over from the first call, or random?",
            )
        case "instances":
            return Words(
                "A second module with the same weights gives another result.",
                "Which number does not come from the weights that were loaded?",
            )
        case "device" if facts:
            return Words(
                f"{_capital(what)}: a tensor on the device {facts['found']} was returned; "
                f"the inputs are on {facts['expected']}.",
                "Which line names a device?",
            )
        case "device":
            return Words(
                "A tensor is made on the CPU even when the inputs are somewhere else; on a GPU this would fail.",
                "On which device is each new tensor born?",
            )
        case "operations":
            fewer, more = facts["counts"][0], facts["counts"][-1]
            return Words(
                f"The number of operations grows with the input: {fewer} for the small one, {more} for the large one. "
                "There is a loop over samples or heads.",
                "Which operation of torch would treat all of them at once?",
            )
        case "forbidden":
            return Words(
                f"It calls {what}, the very thing this exercise is about.",
                "Write out what that function does, step by step.",
            )
    raise ValueError(f"a finding of unknown kind {finding.kind!r}")


def raised(error: Raised) -> Words:
    """An exception of the learner's code."""
    place = f"{error.file}, line {error.line}" if error.file and error.line else ""
    where = f" in {place}" if place else ""
    text = f": {error.message}" if error.message else ""
    when = WHEN.get(error.stage, "")
    if _no_memory(error):
        asked = re.search(r"allocate (\d+) bytes", error.message)
        text = f": it asked for {int(asked[1]) >> 20} MB more" if asked else text
        return Words(f"Out of memory{where}{when}{MEMORY_LIMIT}{text}", TOO_LARGE)
    if error.type == "SystemExit":
        return Words(f"The program was asked to exit{where}{when}.", "Take out the call that exits.")
    if error.type == "NotImplementedError" and 'missing the required "forward"' in text:
        return Words("The module has no method forward.", "Is it called so, and indented as a method of the class?")
    if error.type == "NotImplementedError" and place and not text:
        return Words(f"Not written yet: {place}.", "What belongs there, in place of that line?")
    if error.stage == "import" and error.type in AT_IMPORT:
        return Words(f"{error.type}{where}{text}", AT_IMPORT[error.type])
    hint = "Print what that line works with, shapes first, just before it." if place else ""
    name = error.type if error.type.isidentifier() else "An exception without a name"  # no sentence of ours
    return Words(f"{name}{where}{when}{text}", hint)


def _no_memory(error: Raised) -> bool:
    """Whether an exception says that memory ran out: Python's and numpy's by its type, torch's by its text."""
    no_memory = ("can't allocate memory", "Cannot allocate memory")
    return "MemoryError" in error.bases or any(text in error.message for text in no_memory)


def not_imported(file: str, lost: str, cause: str) -> Words:
    """The worker did not survive the import of a topic file; `lost` is "timeout" or "crashed"."""
    if lost == "timeout":
        return Words(
            f"Importing {file} did not finish: {cause}.",
            "Is there a loop outside the functions whose condition never becomes false?",
        )
    return Words(
        f"Python itself ended while {file} was imported: {cause}.",
        "Which line outside the functions ends the program?",
    )


def refused(exercise: Exercise, facts: Mapping[str, object]) -> Words:
    """The submission does not have what the check needs."""
    kind, found, expected = facts["kind"], facts.get("found", ""), facts.get("expected", "")
    match kind:
        case "missing":
            return Words(
                f"There is no {expected} named {exercise.name} in {exercise.file}.",
                f"Was it renamed or indented by accident? `kata reset {exercise.file}` brings the stub back "
                "and keeps a copy of what you have.",
            )
        case "not-callable":
            return Words(
                f"{exercise.name} is {_kind(str(found))}; a {expected} was expected.", "Is the name used twice?"
            )
        case "signature":
            return Words(
                f"The exercise calls it with {expected} argument{'' if expected == '1' else 's'}; "
                f"found {found}: {facts.get('message', '')}.",
                "Compare your def line with the exercise's.",
            )
        case "not-a-module":
            if found == exercise.name:
                return Words(f"{found} is no nn.Module.", "What stands in brackets after its name in the stub?")
            return Words(
                f"{exercise.name}(...) gave {_kind(str(found))}; an nn.Module was expected.",
                "Keep it a class with `nn.Module` as its base.",
            )
        case "layers":
            return _layers(facts)
    return Words(f"It could not be run: {kind}.")


def _layers(facts: Mapping[str, object]) -> Words:
    parts = []
    missing, shapes, found = facts["missing"], facts["shapes"], facts["found"]
    assert isinstance(missing, list)
    assert isinstance(shapes, list)
    assert isinstance(found, list)
    if missing:
        have = f" (found: {', '.join(found)})" if found else " (found: no parameters at all)"
        parts.append(f"these parameters are missing: {', '.join(missing)}{have}")
    for shape in shapes:
        parts.append(f"{shape['name']} has shape {tuple(shape['found'])} where {tuple(shape['expected'])} was expected")
    return Words(
        _capital("; ".join(parts)) + ".",
        "Which layers does the exercise name, with which sizes, and does the module know that it owns them?",
    )


def _shape(finding: Finding, exercise: Exercise, what: str) -> Words:
    assert finding.expected is not None
    found = tuple(finding.facts["found"])
    shape = (
        f"{what} has shape {shape_in_words(found, exercise.axes)}; "
        f"expected {shape_in_words(finding.expected.shape, exercise.axes)}"
    )
    more = shape_relation(found, finding.expected.shape, exercise.axes)
    related = relation(finding.found, finding.expected, exercise.axes) if finding.found is not None else ""
    return Words(
        related or f"The shape of {what} is not the expected one{': ' + more if more else ''}.",
        "Write the shape of each intermediate tensor beside its line.",
        shape,
        shape,
        "relation" if related or more else "numbers",
    )


def _non_finite(finding: Finding, exercise: Exercise, what: str) -> Words:
    assert finding.found is not None
    bad = ~np.isfinite(finding.found)
    kind = "NaN" if np.isnan(finding.found).any() else "infinite"
    place = place_of(tuple(np.argwhere(bad)[0]), finding.found.shape, exercise)
    return Words(
        f"{_capital(what)} holds numbers that are not finite.",
        "Which step divides 0 by 0, subtracts infinity from infinity, or overflows?",
        f"{int(bad.sum())} of {bad.size} are {kind}, the first at {place}",
        confidence="numbers",
    )


def _values(finding: Finding, check: Check, exercise: Exercise) -> Words:
    assert finding.found is not None
    assert finding.expected is not None
    related = relation(finding.found, finding.expected, exercise.axes)
    evidence = mismatch(finding, exercise)
    if related:
        return Words(
            related,
            "Look for the step that does this, and ask whether the formula has it.",
            evidence,
            confidence="relation",
        )
    return Words(
        f"{_capital(finding.name)} has the right shape, but other numbers than expected.",
        "Work the stub's small example through by hand and print every step.",
        evidence,
        confidence="numbers",
    )


def _roughly(found: Array, expected: Array | None) -> bool:
    return expected is not None and found.shape == expected.shape and bool(np.allclose(found, expected, 1e-4, 1e-4))


def _kind(type: str) -> str:
    """A Python type in words."""
    known = {"NoneType": "None", "ndarray": "a numpy array", "Tensor": "a tensor"}
    return known.get(type, f"{'an' if type[:1].lower() in tuple('aeiou') else 'a'} {type}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
