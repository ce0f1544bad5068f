"""From observations to verdicts: what each check comes to, and why."""

import numpy as np
import pytest
from judged import asking, catalogue, drawn, exercise, failed, mechanism, numbers, returned, seen

from attention_kata.intake.submission import Problem
from attention_kata.judge.diagnose import Verdict, diagnose
from attention_kata.judge.evidence import VerdictKind
from attention_kata.judge.recognise import Confidence
from attention_kata.key.model import Asks
from attention_kata.messages.said import Place, said
from attention_kata.sandbox.observation import Lost, ModuleReport, Observation, Outcome, Raised, Seen
from attention_kata.source.absent import Absent, Why
from attention_kata.source.forbidden import Use

X = numbers(3, 4)
CASES = [drawn("a", X), drawn("b", X + 5), drawn("ops", X)]
CHECKS = [
    asking(Asks.SHAPE, "a", points=1),
    asking(Asks.VALUES, "a", "b", points=3),
    asking(Asks.FORBIDDEN, "ops", points=0.5),
]
KNOWN = catalogue("one", "two", "three")
MECHANISMS = (mechanism("scale", "one"), mechanism("axis", "two", "three"))


def on(a=X, b=X + 5, ops=X):
    given = {"a": a, "b": b, "ops": ops}
    return {id: each if isinstance(each, Observation) else returned(each) for id, each in given.items()}


TABLE = {
    ("one",): on(2 * X, 2 * X + 5, 2 * X),
    ("two",): on(-X, -X + 5, -X),
    ("three",): on(X, X + 6, X),
    ("one", "two"): on(-2 * X, -2 * X + 5, -2 * X),
}
CLEARS = np.array([[0, 0], [0, 0], [1, 0], [0, 0], [0, 0]], dtype=np.uint8)  # beside two, the scale
ITS = exercise(CASES, CHECKS, TABLE, MECHANISMS, forbidden=("softmax",), clears=CLEARS)


def judged(observations, its=ITS, **facts):
    return diagnose(its, KNOWN, observations, **facts)


def kinds(verdicts):
    return [str(verdict.verdict) for verdict in verdicts]


# ---------------------------------------------------------------------- right, wrong, not run


def test_a_right_answer_passes_every_check():
    timed = {
        id: returned(seen.results[0].value, seconds=s) for (id, seen), s in zip(on().items(), (1, 2, 4), strict=True)
    }
    verdicts = judged(timed)
    assert verdicts == tuple(
        Verdict(check=check, verdict=VerdictKind.PASSED, seconds=seconds)
        for check, seconds in zip(CHECKS, (1, 3, 4), strict=True)
    )
    assert [verdict.points for verdict in verdicts] == [1, 3, 0.5]


def test_a_known_mistake_is_named_with_its_question_and_what_is_right_besides():
    wrong = returned(-X, seconds=2.0)
    shape, values, by_hand = judged(on(wrong, -X + 5, -X))
    assert kinds([shape, values, by_hand]) == ["passed", "failed", "passed"]
    assert (values.points, values.check, values.seconds) == (0, CHECKS[1], 2.0)
    assert (values.mistakes, values.confidence) == (("two",), Confidence.EXACT)
    assert values.message == said("mistakes", mistakes=("You did two.",))
    assert values.hint == said("question", question="Why two?")
    assert values.evidence.template == "first-mismatch"
    assert values.already_right == ("the scale",)
    assert values.heat.found == np.round(-X, 3).tolist()
    assert (values.file, values.line, values.shape, values.not_started) == (None, None, None, False)


def test_two_mistakes_at_once_are_both_named():
    [_, values, _] = judged(on(-2 * X, -2 * X + 5, -2 * X))
    assert values.mistakes == ("one", "two")
    assert values.message == said("mistakes", mistakes=("You did one.", "You did two."))
    assert values.hint == said("question", question="Why one?")
    assert values.already_right == ()


def test_two_candidates_are_both_told_and_a_likely_one_as_such():
    table = TABLE | {("three",): on(2 * X, 2 * X + 5, 2 * X)}
    its = exercise(CASES, CHECKS, table, MECHANISMS)
    [_, values, _] = judged(on(2 * X, 2 * X + 5, 2 * X), its)
    assert values.message == said("mistakes-either", first="You did one.", second="You did three.")
    assert (values.mistakes, values.confidence) == (("one", "three"), Confidence.EITHER)
    changed = returned(X + 9, changed=("Q",))
    pure = [*CHECKS, asking(Asks.PURITY, "a")]
    its = exercise(CASES, pure, {("one",): on(returned(X, changed=("Q",)))}, MECHANISMS)
    [*_, purity] = judged(on(returned(X, changed=("Q",))), its)
    assert (purity.message, purity.confidence) == (
        said("mistakes-likely", mistakes=("You did one.",)),
        Confidence.LIKELY,
    )
    assert purity.mistakes == ("one",)
    assert purity.evidence is None
    [*_, purity] = judged(on(changed), its)
    assert purity.message == said("changes-input", changed=("Q",))


def test_the_same_words_of_two_mistakes_are_said_once():
    known = dict.fromkeys(KNOWN, KNOWN["one"])
    verdicts = diagnose(ITS, known, on(-2 * X, -2 * X + 5, -2 * X))
    assert verdicts[1].message == said("mistakes", mistakes=("You did one.",))


def test_what_is_known_in_one_check_alone_is_named_there():
    checks = [asking(Asks.VALUES, "a", id="first"), asking(Asks.VALUES, "b", id="second")]
    its = exercise(CASES, checks, TABLE, MECHANISMS)
    first, second = judged(on(2 * X, X + 6), its)
    assert (first.mistakes, second.mistakes) == (("one",), ("three",))
    assert first.already_right == second.already_right == ()
    first, second = judged(on(2 * X, X * X), its)
    assert (first.mistakes, second.mistakes) == (("one",), ())
    first, second = judged(on(X, X * X), its)
    assert kinds([first, second]) == ["passed", "failed"]
    assert second.message == said("other-numbers", result="result")
    assert (second.confidence, second.mistakes) == (Confidence.NUMBERS, ())
    assert second.already_right == ()  # nothing explains what is wrong


def test_a_check_whose_case_was_not_run_is_not_graded_and_the_others_are():
    observations = on(-X, ops=-X)
    del observations["b"]
    shape, values, by_hand = judged(observations)
    assert kinds([shape, values, by_hand]) == ["passed", "ungradable", "passed"]
    assert (values.message, values.points, values.mistakes) == (said("not-run"), 0, ())
    observations["a"] = returned(-X, seconds=1.5)
    assert judged(observations)[1].seconds == 1.5
    assert judged({"b": returned(X + 5), "ops": returned(X)})[0].verdict == "ungradable"
    assert kinds(judged({})) == ["ungradable"] * 3


@pytest.mark.parametrize(
    ("observation", "kind"),
    [
        (Observation(Outcome.TIMEOUT), "timeout"),
        (Observation(Outcome.CRASHED), "crashed"),
        (failed(), "error"),
        (Observation(Outcome.REFUSED, refused={"kind": "missing"}), "error"),
        (returned(X * X), "failed"),
    ],
)
def test_a_verdict_says_how_it_ended(observation, kind):
    assert judged(on(X, observation))[1].verdict == kind


def test_an_error_is_told_with_its_place_and_named_where_it_is_known():
    [_, values, _] = judged(on(X, failed(line=7, file="other.py")))
    assert (values.file, values.line) == ("other.py", 7)
    assert values.message == said("raised", error="ValueError", place=Place("other.py", 7), text="bad")
    assert (values.hint, values.confidence) == (said("hint-print"), Confidence.NONE)
    its = exercise(CASES, CHECKS, {("one",): on(failed(), failed(), failed())}, MECHANISMS)
    shape, values, by_hand = judged(on(failed(), failed(), failed()), its)
    assert kinds([shape, values, by_hand]) == ["error"] * 3
    assert shape.mistakes == values.mistakes == by_hand.mistakes == ("one",)
    assert values.line == 3
    assert (values.message, values.confidence) == (
        said("mistakes-likely", mistakes=("You did one.",)),
        Confidence.ERROR,
    )
    assert values.evidence == said("raised", error="ValueError", place=Place("topic.py", 3), text="bad")


def test_an_error_beside_numbers_that_tell_has_the_same_cause():
    checks = [asking(Asks.VALUES, "a", id="first"), asking(Asks.VALUES, "b", id="second")]
    its = exercise(CASES, checks, {("one",): on(2 * X, failed())}, MECHANISMS)
    first, second = judged(on(2 * X, failed()), its)
    assert first.message == second.message == said("mistakes", mistakes=("You did one.",))
    assert (first.confidence, second.confidence) == (Confidence.EXACT, Confidence.ERROR)
    assert second.evidence.template == "raised"


# ---------------------------------------------------------------------- what is known where no mistake is


def test_numbers_that_are_all_alike_are_told_as_such():
    [_, values, _] = judged(on(0 * X, 0 * X, 0 * X))
    assert values.message == said("all-number", result="result", number="0")
    assert (values.hint, values.confidence, values.mistakes) == (said("hint-root"), Confidence.NUMBERS, ())


def test_they_come_before_a_mistake_that_is_only_likely():
    its = exercise(CASES, CHECKS, {("one",): on(0 * X, 0 * X, 0 * X)}, MECHANISMS)
    [_, values, _] = judged(on(0 * X, 0 * X, 0 * X), its)
    fact, likely = said("all-number", result="result", number="0"), said("mistakes-likely", mistakes=("You did one.",))
    assert values.message == said("fact-then", first=fact, second=likely)
    assert (values.mistakes, values.confidence) == (("one",), Confidence.LIKELY)


# ---------------------------------------------------------------------- a name that is missing


@pytest.mark.parametrize(
    ("absence", "message", "line"),
    [
        (None, said("no-function", exercise="thing", file="topic.py"), None),
        (Absent(Why.UNWRITTEN), said("function-unwritten", exercise="thing", file="topic.py"), None),
        (Absent(Why.MISSPELLED, "think", 4),
         said("function-misspelled", exercise="thing", file="topic.py", name="think", place=Place("topic.py", 4)), 4),
        (Absent(Why.INSIDE, "Mine", 5),
         said("defined-inside", exercise="thing", name="Mine", place=Place("topic.py", 5)), 5),
        (Absent(Why.CLASS, "", 6), said("class-for-function", exercise="thing"), 6),
    ],
)  # fmt: skip
def test_a_name_that_is_missing_is_told_once(absence, message, line):
    missing = Observation(Outcome.REFUSED, refused={"kind": "missing", "expected": "function"})
    shape, *others = judged({case.id: missing for case in CASES}, absence=absence)
    assert (shape.verdict, shape.message, shape.line, shape.hint is not None) == (
        VerdictKind.ERROR,
        message,
        line,
        True,
    )
    assert [(each.verdict, each.message, each.hint) for each in others] == 2 * [(VerdictKind.SKIPPED, message, None)]


def test_a_name_of_the_other_kind_is_told_only_where_no_check_passes():
    wrong = returned(X * X)
    assert judged(on(wrong, wrong, wrong), absence=Absent(Why.CLASS, "", 6))[1].message.template != "class-for-function"
    not_it = Observation(Outcome.RETURNED, (Seen("thing"),))
    shape, *_ = judged(on(not_it, not_it, not_it), absence=Absent(Why.CLASS, "", 6))
    assert shape.message == said("class-for-function", exercise="thing")


@pytest.mark.parametrize("kind", ["timeout", "crashed", "operations", "instances", "repeats"])
def test_what_happened_says_it_all_and_no_mistake_is_named(kind):
    slow = returned(-X, **{} if kind not in ("instances", "repeats") else {kind: False})
    asks = {"instances": Asks.PURITY, "repeats": Asks.PURITY, "operations": Asks.OPERATIONS}.get(kind, Asks.VALUES)
    checks = [asking(asks, "a", "ops")]
    observations = on(slow, -X + 5, returned(-X, operations=4))
    if kind in ("timeout", "crashed"):
        observations["a"] = Observation(Outcome(kind))
    table = {("two",): on(slow, -X + 5, -X)}
    [verdict] = judged(observations, exercise(CASES, checks, table, MECHANISMS))
    assert verdict.mistakes == ()
    assert verdict.message.template not in ("mistakes", "mistakes-likely")
    assert verdict.verdict == (kind if kind in ("timeout", "crashed") else "failed")


def test_right_numbers_of_another_dtype_are_called_so_where_the_whole_has_no_explanation():
    table = {("one",): on(seen(X, "float32"), X + 6)}
    checks = [asking(Asks.VALUES, "a", id="first"), asking(Asks.VALUES, "b", id="second")]
    its = exercise(CASES, checks, table, MECHANISMS)
    first, _ = judged(on(returned(seen(X, "float32"))), its)
    assert (first.message.template, first.mistakes) == ("dtype-only", ())
    first, second = judged(on(returned(seen(X, "float32")), X + 6), exercise(CASES, checks, {
        ("one",): on(returned(seen(X, "float32")), X + 6)}, MECHANISMS))  # fmt: skip
    assert first.mistakes == second.mistakes == ("one",)


def test_a_shape_is_told_with_what_was_expected():
    [shape, *_] = judged(on(X.T, X.T + 5, X.T))
    assert shape.shape == shape.evidence
    assert shape.shape.template == "shapes"
    assert shape.confidence is Confidence.RELATION


# ---------------------------------------------------------------------- weights


def test_the_weights_show_more_than_the_output():
    output, weights = numbers(2, 3), np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    mask = np.array([[True, True, False], [True, True, True]])
    case = drawn("a", output, weights, arrays={"0/mask": mask})
    leaky = np.array([[0.25, 0.25, 0.5], [0.25, 0.25, 0.5]])
    table = {("one",): {"a": returned(output + 1, leaky)}}
    checks = [asking(Asks.VALUES, "a")]

    def verdict(observation, returns=("output", "weights")):
        return judged({"a": observation}, exercise([case], checks, table, MECHANISMS, returns=returns))[0]

    leaked = verdict(returned(output + 1, leaky))
    assert leaked.evidence == said("sees-keys", query=0, key=2, keys=("0", "1"), weight="0.50")
    assert leaked.heat.name == "weights"
    assert leaked.heat.expected == weights.tolist()
    assert leaked.heat.found == leaky.tolist()
    other = verdict(returned(output + 2, leaky))
    assert (other.heat.name, other.evidence.template) == ("weights", "first-mismatch")
    assert verdict(returned(output + 1, leaky.T)).heat.name == "output"
    assert verdict(returned(output + 1)).heat is None
    assert verdict(returned(output + 1, leaky), ("output", "other")).heat.name == "output"
    assert verdict(returned(output + 1, leaky), ("output", "a", "weights")).heat.name == "output"


# ---------------------------------------------------------------------- why nothing could be run

LINE = {"file": "topic.py", "line": 4}


def test_a_file_that_could_not_be_read_is_told_by_the_first_check():
    message, hint = said("file-empty", shown="topic.py"), said("hint-restore", file="topic.py")
    shape, values, by_hand = judged({}, problem=Problem(message, hint, 4))
    assert shape == Verdict(check=CHECKS[0], verdict=VerdictKind.ERROR, message=message, hint=hint, **LINE)
    assert values == Verdict(check=CHECKS[1], verdict=VerdictKind.SKIPPED, message=message)
    assert by_hand == Verdict(check=CHECKS[2], verdict=VerdictKind.SKIPPED, message=message)


def test_a_file_that_could_not_be_imported_is_told_with_its_line():
    error = Raised("import", "SyntaxError", "bad", "topic.py", 4)
    shape, values, _ = judged({}, report=ModuleReport(error))
    raised = said("raised", error="SyntaxError", place=Place("topic.py", 4), text="bad")
    assert shape == Verdict(
        check=CHECKS[0], verdict=VerdictKind.ERROR, message=raised, hint=said("hint-syntax"), **LINE
    )
    assert (values.verdict, values.message, values.hint) == ("skipped", raised, None)
    elsewhere = Raised("import", "SyntaxError", "bad", "other.py", 4)
    [shape, *_] = judged({}, report=ModuleReport(elsewhere))
    assert (shape.file, shape.line) == ("topic.py", None)


@pytest.mark.parametrize(
    ("outcome", "template"), [("timeout", "import-unfinished"), ("crashed", "import-ended-python")]
)
def test_a_worker_that_an_import_ended(outcome, template):
    cause = said("killed")
    shape, values, _ = judged({}, report=ModuleReport(lost=Lost(Outcome(outcome), cause)))
    assert (shape.verdict, shape.message) == (outcome, said(template, file="topic.py", cause=cause))
    assert shape.hint is not None
    assert values.verdict == "skipped"


def test_a_file_that_was_imported_is_no_reason():
    assert kinds(judged(on(), report=ModuleReport())) == ["passed"] * 3


STARTED = [
    (on(), ModuleReport(untouched=("thing",)), True),
    (on(), ModuleReport(untouched=("other",)), False),
    ({c.id: failed("NotImplementedError") for c in CASES}, None, True),
    ({c.id: failed("NotImplementedError", file=None) for c in CASES}, None, False),
    (on(failed("NotImplementedError"), failed("NotImplementedError")), None, False),
    ({c.id: failed() for c in CASES}, None, False),
    ({c.id: Observation(Outcome.CRASHED) for c in CASES}, None, False),
]


@pytest.mark.parametrize(("observations", "report", "untouched"), STARTED)
def test_a_stub_that_is_still_in_place_is_not_a_mistake(observations, report, untouched):
    shape, values, by_hand = judged(observations, report=report)
    assert [v.not_started for v in (shape, values, by_hand)] == [untouched] * 3
    if untouched:
        message = said("not-started", exercise="thing")
        hint = said("hint-start", exercise="thing", file="topic.py")
        assert shape == Verdict(
            check=CHECKS[0],
            verdict=VerdictKind.FAILED,
            message=message,
            hint=hint,
            file="topic.py",
            not_started=True,
        )
        assert kinds([values, by_hand]) == ["skipped"] * 2


# ---------------------------------------------------------------------- forbidden functions


def void(place=None):
    return said("void", exercise="thing", function="softmax", place=place)


def test_a_forbidden_call_voids_the_exercise_and_its_own_check_tells():
    shape, values, by_hand = judged(on(returned(X, functions=("softmax",))))
    assert kinds([shape, values, by_hand]) == ["skipped", "skipped", "failed"]
    assert by_hand == Verdict(
        check=CHECKS[2], verdict=VerdictKind.FAILED, message=void(), hint=said("hint-by-hand"), file="topic.py"
    )
    assert (shape.message, shape.points, values.points) == (void(), 0, 0)


def test_a_forbidden_use_that_was_read_voids_it_with_its_line():
    [*_, by_hand] = judged(on(), use=Use("softmax", "topic.py", 4))
    assert (by_hand.message, by_hand.line) == (void(), 4)
    [*_, by_hand] = judged(on(), use=Use("softmax", "lib.py", 4))
    assert (by_hand.message, by_hand.line) == (void(Place("lib.py", 4)), None)
    called = on(returned(X, functions=("softmax",)))
    [*_, by_hand] = judged(called, use=Use("log_softmax", "topic.py", 4))
    assert (by_hand.message, by_hand.line) == (void(), 4)


def test_where_no_check_asks_for_it_the_first_tells():
    its = exercise(CASES, CHECKS[:2], TABLE, MECHANISMS, forbidden=("softmax",))
    assert kinds(judged(on(), its, use=Use("softmax", "topic.py", 4))) == ["failed", "skipped"]


def test_what_hides_calls_leaves_the_forbidden_check_unchecked():
    hidden = Use("sys.settrace", "lib.py", 9)
    message = said("hidden-calls", function="sys.settrace", name="lib.py")
    for observations, others in ((on(returned(X, seconds=1.0), ops=returned(X, seconds=2.0)), "passed"),
                                 (on(b=-X, ops=returned(X, seconds=2.0)), "failed")):  # fmt: skip
        shape, values, by_hand = judged(observations, hidden=hidden)
        assert kinds([shape, values, by_hand]) == ["passed", others, "skipped"]
        assert by_hand == Verdict(
            check=CHECKS[2],
            verdict=VerdictKind.SKIPPED,
            message=message,
            hint=said("hint-without"),
            file="lib.py",
            line=9,
            seconds=2.0,
        )
        assert by_hand.points == 0
    assert judged(on(ops=X.T), hidden=hidden)[2].verdict == "failed"
