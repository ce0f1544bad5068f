"""From observations to verdicts: each check of an exercise judged, and its failure explained.

The most specific true thing is said: a known mistake (alone or two at once), a relation to the right
result, or the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..intake.submission import Problem
from ..key.model import Asks, Check, Exercise, Mistake
from ..messages.said import Place, Said, said
from ..sandbox.observation import ModuleReport, Observation, Outcome
from ..source.absent import Absent, Why
from ..source.forbidden import Use
from .compare import Finding, FindingKind, compare, forbidden_name
from .evidence import Heat, VerdictKind
from .numbers import SHOWN, called, heat_map, hidden_attention, mismatch, root_fact, whole
from .patterns import across, along
from .recognise import Confidence, Explanation, Recogniser
from .words import Words, absent_words, beyond_example, describe, not_imported, raised

NEVER_A_MISTAKE = (  # of the catalogue: what happened says it all
    FindingKind.TIMEOUT,
    FindingKind.CRASHED,
    FindingKind.FORBIDDEN,
    FindingKind.OPERATIONS,
    FindingKind.INSTANCES,
    FindingKind.REPEATS,
)
VERDICTS = {
    FindingKind.TIMEOUT: VerdictKind.TIMEOUT,
    FindingKind.CRASHED: VerdictKind.CRASHED,
    FindingKind.RAISED: VerdictKind.ERROR,
    FindingKind.REFUSED: VerdictKind.ERROR,
}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The outcome of one check, and what there is to say about it."""

    check: Check
    verdict: VerdictKind
    mistakes: tuple[str, ...] = ()
    confidence: Confidence = Confidence.NONE
    message: Said | None = None
    hint: Said | None = None
    evidence: Said | None = None
    shape: Said | None = None
    heat: Heat | None = None
    file: str | None = None
    line: int | None = None
    already_right: tuple[str, ...] = ()
    seconds: float = 0.0
    not_started: bool = False  # the stub is still in place

    @property
    def points(self) -> float:
        return self.check.points if self.verdict is VerdictKind.PASSED else 0.0


@dataclass(frozen=True, kw_only=True)
class _Reason:
    """Why none of an exercise's checks could be carried out: said once for all of them."""

    verdict: VerdictKind
    message: Said
    hint: Said | None = None
    line: int | None = None
    not_started: bool = False


def diagnose(
    exercise: Exercise,
    catalogue: Mapping[str, Mistake],
    observations: Mapping[str, Observation],
    report: ModuleReport | None = None,
    problem: Problem | None = None,
    use: Use | None = None,
    hidden: Use | None = None,
    absence: Absent | None = None,
) -> tuple[Verdict, ...]:
    """The verdict on every check of `exercise`.

    `report` says how importing its file went; `problem` why the file was not run at all; `use` where its
    source names a forbidden function; `hidden` what hides the functions that the submission calls;
    `absence` why its source defines no such function or class.
    """
    reason = _unread(problem) or _not_imported(exercise.file, report) or _not_started(exercise, observations, report)
    if reason is not None:
        return _void(exercise, reason)
    reason = _forbidden(exercise, observations, use)
    if reason is not None:
        return _void(exercise, reason, teller=Asks.FORBIDDEN)
    findings: dict[str, Finding | None] = {}
    missing = set()
    for check in exercise.checks:
        if not _was_run(check, observations):
            missing.add(check.id)
            continue
        findings[check.id] = compare(check, exercise, observations)
    if not any(findings.values()) and not missing:
        return tuple(_passed(check, hidden, _seconds(check, observations)) for check in exercise.checks)
    if all(findings.values()) and not missing and (reason := _absent(exercise, observations, absence)) is not None:
        return _void(exercise, reason)
    recogniser = Recogniser(exercise, catalogue, observations)
    everywhere = recogniser.everywhere() if any(findings.values()) else None
    verdicts = []
    for check in exercise.checks:
        seconds = _seconds(check, observations)
        if check.id in missing:
            verdict = Verdict(check=check, verdict=VerdictKind.UNGRADABLE, message=said("not-run"), seconds=seconds)
        elif (finding := findings[check.id]) is None:
            verdict = _passed(check, hidden, seconds)
        else:
            verdict = _explain(check, finding, exercise, catalogue, observations, recogniser, everywhere)
            verdict = replace(verdict, seconds=seconds)
        verdicts.append(verdict)
    return tuple(verdicts)


def _passed(check: Check, hidden: Use | None, seconds: float = 0.0) -> Verdict:
    """A check without a finding; not passed where it could not be carried out."""
    if check.asks is Asks.FORBIDDEN and hidden is not None:
        return Verdict(
            check=check,
            verdict=VerdictKind.SKIPPED,
            message=said("hidden-calls", function=hidden.name, name=hidden.file),
            hint=said("hint-without"),
            file=hidden.file,
            line=hidden.line,
            seconds=seconds,
        )
    return Verdict(check=check, verdict=VerdictKind.PASSED, seconds=seconds)


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
) -> Verdict:
    seen = observations[finding.case]
    alone = check.asks in (Asks.ANY, Asks.EXAMPLE)
    spoken = replace(exercise, axes={}) if alone else exercise  # sizes are the names of axes in ordinary cases only
    words = describe(finding, check, spoken, seen)
    if _example_is_right(exercise, observations):
        words = beyond_example(words)
    cases = check.cases if finding.case in check.cases and not alone else (finding.case,)
    explanation = recogniser.in_part(everywhere, cases) if everywhere is not None else None
    if explanation is None and finding.kind is not FindingKind.DTYPE:  # right numbers of another dtype are said as such
        explanation = recogniser.in_cases(cases)
        if alone and not (everywhere and explanation and set(explanation.ids) <= set(everywhere.ids)):
            explanation = None  # the numbers of one case, or of a small one, say too little
    if finding.kind in NEVER_A_MISTAKE:
        explanation = None
    sure = explanation is not None and explanation.confidence is Confidence.EXACT
    ids: tuple[str, ...] = ()
    shown = _weights(finding, exercise, observations)
    fact = root_fact(shown) or root_fact(finding)
    if explanation is not None:
        ids = explanation.ids
        if finding.kind is FindingKind.RAISED and explanation.confidence is not Confidence.EITHER:
            words = replace(words, evidence=words.message)  # there are no numbers, but torch's own line
            explanation = replace(explanation, confidence=Confidence.ERROR)
        hidden = None if alone else hidden_attention(shown, exercise.case(finding.case))
        words = _name(explanation, sure, catalogue, words, fact)
        words = replace(words, evidence=hidden or words.evidence or mismatch(finding, spoken))
    elif fact is not None and words.confidence is Confidence.NUMBERS and finding.kind is not FindingKind.SHAPE:
        words = replace(words, message=fact, hint=said("hint-root"), confidence=Confidence.NUMBERS)
    elif words.message.template == "other-numbers" and not finding.of_gradient:
        words = _patterned(words, finding, check, exercise, observations)
    if check.asks is Asks.EXAMPLE and finding.found is not None and finding.found.size <= SHOWN:
        words = replace(words, evidence=whole(finding) or words.evidence)
    if check.asks is Asks.ANY:
        words = replace(
            words, evidence=said("with-inputs", call=called(exercise.case(finding.case)), inner=words.evidence)
        )
    error = seen.error
    return Verdict(
        check=check,
        verdict=VERDICTS.get(finding.kind, VerdictKind.FAILED),
        mistakes=ids,
        confidence=explanation.confidence if explanation else words.confidence,
        message=words.message,
        hint=words.hint,
        evidence=words.evidence,
        shape=words.shape,
        heat=heat_map(shown, spoken),
        file=error.file if error else None,
        line=error.line if error else None,
        already_right=recogniser.right_besides(everywhere) if everywhere is not None else (),
    )


def _patterned(
    words: Words, finding: Finding, check: Check, exercise: Exercise, observations: Mapping[str, Observation]
) -> Words:
    """What the numbers teach, where nothing else is known of them."""
    if pattern := across(exercise, observations):
        return replace(words, message=pattern, hint=said("hint-pattern"))
    if check.asks is not Asks.ANY and (pattern := along(finding, exercise)):  # whose sizes have no names
        return replace(words, message=pattern, hint=said("hint-part"))
    return words


def _was_run(check: Check, observations: Mapping[str, Observation]) -> bool:
    """Whether its cases were run; of draws, once one has ended the worker, those after it are not."""
    for case in check.cases:
        if case not in observations:
            return False
        if check.asks is Asks.ANY and observations[case].outcome in (Outcome.TIMEOUT, Outcome.CRASHED):
            return True
    return True


def _example_is_right(exercise: Exercise, observations: Mapping[str, Observation]) -> bool:
    examples = [check for check in exercise.checks if check.asks is Asks.EXAMPLE]
    run = [check for check in examples if all(case in observations for case in check.cases)]
    return any(compare(check, exercise, observations) is None for check in run)


def _name(
    explanation: Explanation, sure: bool, catalogue: Mapping[str, Mistake], words: Words, fact: Said | None
) -> Words:
    """The catalogue's words for the mistakes, as certain as the match is: `sure` where numbers elsewhere tell them.

    Where they are not certain, a fact comes first.
    """
    mistakes = [catalogue[id] for id in explanation.ids]
    messages = tuple(dict.fromkeys(m.message for m in mistakes))
    if explanation.confidence is Confidence.EITHER:
        message = said("mistakes-either", first=messages[0], second=messages[-1])
    elif sure or explanation.confidence is Confidence.EXACT:
        message = said("mistakes", mistakes=messages)
    else:
        message = said("mistakes-likely", mistakes=messages)
        message = said("fact-then", first=fact, second=message) if fact is not None else message
    return replace(words, message=message, hint=said("question", question=mistakes[0].question))


def _weights(finding: Finding, exercise: Exercise, observations: Mapping[str, Observation]) -> Finding:
    """The same finding, looking at the weights where the exercise returns them."""
    case, seen = exercise.case(finding.case), observations[finding.case]
    if "weights" in exercise.returns:
        i = exercise.returns.index("weights")
        if i < len(seen.results) and i < len(case.results) and seen.results[i].shape == case.results[i].shape:
            facts = {"free": case.free[i] if i < len(case.free) else None}
            found = seen.results[i].value
            return Finding(finding.kind, finding.case, "weights", found, case.results[i], facts)
    return finding


def _unread(problem: Problem | None) -> _Reason | None:
    if problem is None:
        return None
    return _Reason(verdict=VerdictKind.ERROR, message=problem.message, hint=problem.hint, line=problem.line)


def _not_imported(file: str, report: ModuleReport | None) -> _Reason | None:
    if report is None or not report.failed:
        return None
    if report.lost is not None:
        words = not_imported(file, report.lost)
        return _Reason(verdict=VerdictKind(report.lost.outcome), message=words.message, hint=words.hint)
    error = report.error
    assert error is not None
    words, line = raised(error), error.line if error.file == file else None
    return _Reason(verdict=VerdictKind.ERROR, message=words.message, hint=words.hint, line=line)


def _not_started(
    exercise: Exercise, observations: Mapping[str, Observation], report: ModuleReport | None
) -> _Reason | None:
    """A stub left in place is no mistake: its own NotImplementedError everywhere, or an empty body."""
    empty = report is not None and exercise.name in report.untouched
    raises = bool(observations) and all(
        seen.error is not None and seen.error.type == "NotImplementedError" and seen.error.file is not None
        for seen in observations.values()
    )
    if not (empty or raises):
        return None
    return _Reason(
        verdict=VerdictKind.FAILED,
        message=said("not-started", exercise=exercise.name),
        hint=said("hint-start", exercise=exercise.name, file=exercise.file),
        not_started=True,
    )


def _absent(exercise: Exercise, observations: Mapping[str, Observation], absence: Absent | None) -> _Reason | None:
    """The name is missing, or stands for something of another kind, so that no check can pass."""
    missing = all(seen.refused is not None and seen.refused["kind"] == "missing" for seen in observations.values())
    other_kind = absence is not None and absence.why in (Why.CLASS, Why.FUNCTION)
    if not (missing or other_kind):
        return None
    words = absent_words(exercise, absence)
    return _Reason(
        verdict=VerdictKind.ERROR, message=words.message, hint=words.hint, line=absence.line if absence else None
    )


def _forbidden(exercise: Exercise, observations: Mapping[str, Observation], use: Use | None) -> _Reason | None:
    """A call of what is to be written by hand, seen while it ran or read in its source."""
    called = next(filter(None, (forbidden_name(exercise, seen) for seen in observations.values())), "")
    name = called or (use.name if use else "")
    if not name:
        return None
    elsewhere = use is not None and use.file != exercise.file
    place = Place(use.file, use.line) if use and elsewhere else None
    return _Reason(
        verdict=VerdictKind.FAILED,
        message=said("void", exercise=exercise.name, function=name, place=place),
        hint=said("hint-by-hand"),
        line=use.line if use and not elsewhere else None,
    )


def _void(exercise: Exercise, reason: _Reason, teller: Asks | None = None) -> tuple[Verdict, ...]:
    """The reason is told by one check (the first that asks for `teller`), the others are skipped."""
    told_by = next((check for check in exercise.checks if check.asks == teller), exercise.checks[0])
    return tuple(
        Verdict(
            check=check,
            verdict=reason.verdict if check is told_by else VerdictKind.SKIPPED,
            message=reason.message,
            hint=reason.hint if check is told_by else None,
            file=exercise.file if check is told_by else None,
            line=reason.line if check is told_by else None,
            not_started=reason.not_started,
        )
        for check in exercise.checks
    )
