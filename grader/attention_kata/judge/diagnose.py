"""From observations to verdicts: each check of an exercise judged, and its failure explained.

The most specific true thing is said: a known mistake (alone or two at once), a relation to the right
result, or the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..intake.submission import Problem
from ..key.model import Check, Exercise, Mistake
from ..sandbox.observation import ModuleReport, Observation, Raised
from ..source.forbidden import Use
from . import words
from .compare import Finding, compare, forbidden_name
from .numbers import heat_map, hidden_attention, mismatch
from .recognise import Explanation, Recogniser
from .words import Words

NOT_STARTED = "Not started yet: the body of {name} is still the stub's."
NOT_STARTED_HINT = "Read the docstring in {file}, then write a first line; `kata hint {name}` gives a nudge."


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check, in words a learner can use."""

    check: Check
    verdict: str  # passed, failed, error, timeout, crashed, skipped, ungradable
    mistakes: tuple[str, ...] = ()
    confidence: str = ""  # exact, likely, either, relation, numbers
    message: str = ""
    hint: str = ""
    evidence: str = ""
    shape: str = ""
    heat: Mapping[str, Any] | None = None  # what was expected and found, see attention_kata.judge.numbers
    file: str | None = None
    line: int | None = None
    already_right: tuple[str, ...] = ()
    seconds: float = 0.0
    not_started: bool = False  # the stub is still in place

    @property
    def points(self) -> float:
        return self.check.points if self.verdict == "passed" else 0.0


def diagnose(
    exercise: Exercise,
    catalogue: Mapping[str, Mistake],
    observations: Mapping[str, Observation],
    report: ModuleReport | None = None,
    problem: Problem | None = None,
    use: Use | None = None,
    hidden: Use | None = None,
) -> tuple[Verdict, ...]:
    """The verdict on every check of `exercise`.

    `report` says how importing its file went; `problem` why the file was not run at all; `use` where its
    source names a forbidden function; `hidden` what hides the functions that the submission calls.
    """
    if problem is None and report is not None and report.error is not None:
        problem = _not_imported(exercise.file, report.error, report.lost)
    if problem is None:
        problem = _not_started(exercise, observations, report)
    if problem is None:
        problem = _forbidden(exercise, observations, use)
        if problem is not None:
            return _void(exercise, problem, teller="forbidden")
    if problem is not None:
        return _void(exercise, problem)
    findings: dict[str, Finding | None] = {}
    missing = set()
    for check in exercise.checks:
        if all(case in observations for case in check.cases):
            findings[check.id] = compare(check, exercise, observations)
        else:
            missing.add(check.id)
    if not any(findings.values()) and not missing:
        return tuple(_passed(check, hidden, _seconds(check, observations)) for check in exercise.checks)
    recogniser = Recogniser(exercise, catalogue, observations)
    passed = [
        case for check in exercise.checks if check.id not in missing and not findings[check.id] for case in check.cases
    ]
    everywhere = recogniser.everywhere() if any(findings.values()) else None
    verdicts = []
    for check in exercise.checks:
        seconds = _seconds(check, observations)
        if check.id in missing:
            verdict = Verdict(
                check, "ungradable", message="This check could not be run; that is not your fault.", seconds=seconds
            )
        elif (finding := findings[check.id]) is None:
            verdict = _passed(check, hidden, seconds)
        else:
            verdict = _explain(check, finding, exercise, catalogue, observations, recogniser, everywhere, passed)
            verdict = replace(verdict, seconds=seconds)
        verdicts.append(verdict)
    return tuple(verdicts)


def _passed(check: Check, hidden: Use | None, seconds: float = 0.0) -> Verdict:
    """A check without a finding; not passed where it could not be carried out."""
    if check.asks == "forbidden" and hidden is not None:
        message = f"Not checked: {hidden.name} ({hidden.file}) hides which functions are called."
        hint = "What would you write without it?"
        return Verdict(
            check, "skipped", message=message, hint=hint, file=hidden.file, line=hidden.line, seconds=seconds
        )
    return Verdict(check, "passed", seconds=seconds)


def _seconds(check: Check, observations: Mapping[str, Observation]) -> float:
    return sum(observations[case].seconds for case in check.cases if case in observations)


def _explain(
    check: Check,
    finding: Finding,
    exercise: Exercise,
    catalogue: Mapping[str, Mistake],
    observations: Mapping[str, Observation],
    recogniser: Recogniser,
    everywhere: Explanation | None,
    passed: list[str],
) -> Verdict:
    seen = observations[finding.case]
    said = words.describe(finding, check, exercise, seen)
    cases = check.cases if finding.case in check.cases else (finding.case,)
    explanation = recogniser.in_part(everywhere, cases) if everywhere is not None else None
    if explanation is None and finding.kind != "dtype":  # right numbers of another dtype are said as such
        explanation = recogniser.in_cases(cases)
    if everywhere is not None and everywhere.confidence == "exact":
        right = recogniser.others_right(everywhere.ids)
    else:
        right = recogniser.cleared(passed) if passed else ()
    if finding.kind in ("timeout", "crashed", "forbidden", "operations", "instances", "repeats"):
        explanation = None
    ids: tuple[str, ...] = ()
    shown = _weights(finding, exercise, observations)
    if explanation is not None:
        ids = explanation.ids
        said = _name(explanation, catalogue, said)
        evidence = hidden_attention(shown, exercise.case(finding.case))
        said = replace(said, evidence=evidence or said.evidence or mismatch(finding, exercise))
    error = seen.error
    verdict = {"timeout": "timeout", "crashed": "crashed", "raised": "error", "refused": "error"}.get(
        finding.kind, "failed"
    )
    return Verdict(
        check,
        verdict,
        ids,
        explanation.confidence if explanation else said.confidence,
        said.message,
        said.hint,
        said.evidence,
        said.shape,
        heat_map(shown, exercise),
        error.file if error else None,
        error.line if error else None,
        right,
    )


def _name(explanation: Explanation, catalogue: Mapping[str, Mistake], said: Words) -> Words:
    """The catalogue's words for the mistakes, as sure as the match allows."""
    mistakes = [catalogue[id] for id in explanation.ids]
    messages = list(dict.fromkeys(m.message for m in mistakes))
    if explanation.confidence == "either":
        message = f"One of two things: {messages[0]} Or: {messages[-1]}"
    elif explanation.confidence == "likely":
        message = f"This looks like: {' And: '.join(messages)}"
    else:
        message = " And: ".join(messages)
    return replace(said, message=message, hint=mistakes[0].question)


def _weights(finding: Finding, exercise: Exercise, observations: Mapping[str, Observation]) -> Finding:
    """The same finding, looking at the weights where the exercise returns them."""
    case, seen = exercise.case(finding.case), observations[finding.case]
    if "weights" in exercise.returns:
        i = exercise.returns.index("weights")
        if i < len(seen.results) and i < len(case.results) and seen.results[i].shape == case.results[i].shape:
            return replace(finding, name="weights", found=seen.results[i].value, expected=case.results[i])
    return finding


def _not_imported(file: str, error: Raised, lost: str) -> Problem:
    said = words.not_imported(file, lost, error.message) if lost else words.raised(error)
    return Problem(lost or "error", said.message, said.hint, error.line if error.file == file else None)


def _not_started(
    exercise: Exercise, observations: Mapping[str, Observation], report: ModuleReport | None
) -> Problem | None:
    """A stub left in place is no mistake: its own NotImplementedError everywhere, or an empty body."""
    empty = report is not None and exercise.name in report.untouched
    raises = bool(observations) and all(
        seen.error is not None and seen.error.type == "NotImplementedError" and seen.error.file is not None
        for seen in observations.values()
    )
    if not (empty or raises):
        return None
    return Problem(
        "failed",
        NOT_STARTED.format(name=exercise.name),
        NOT_STARTED_HINT.format(name=exercise.name, file=exercise.file),
        not_started=True,
    )


def _forbidden(exercise: Exercise, observations: Mapping[str, Observation], use: Use | None) -> Problem | None:
    """A call of what is to be written by hand, seen while it ran or read in its source."""
    called = next(filter(None, (forbidden_name(exercise, seen) for seen in observations.values())), "")
    name = called or (use.name if use else "")
    if not name:
        return None
    elsewhere = use is not None and use.file != exercise.file
    where = f" in {use.file}, line {use.line}" if use and elsewhere else ""
    return Problem(
        "failed",
        f"{exercise.name} calls torch's {name}{where}: that is the part to write by hand, so nothing is counted here.",
        "Write out what that function does, step by step.",
        use.line if use and not elsewhere else None,
    )


def _void(exercise: Exercise, problem: Problem, teller: str = "") -> tuple[Verdict, ...]:
    """The problem is told by one check (the first that asks for `teller`), the others are skipped."""
    told_by = next((check for check in exercise.checks if check.asks == teller), exercise.checks[0])
    return tuple(
        Verdict(
            check,
            problem.verdict if check is told_by else "skipped",
            message=problem.message,
            hint=problem.hint if check is told_by else "",
            file=exercise.file if check is told_by else None,
            line=problem.line if check is told_by else None,
            not_started=problem.not_started,
        )
        for check in exercise.checks
    )
