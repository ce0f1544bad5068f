"""What a finding says: the message, its evidence, the question that leads on."""

import numpy as np
import pytest
from judged import asking, drawn, exercise, failed, numbers, refused, returned

from attention_kata.judge.compare import Finding, FindingKind
from attention_kata.judge.recognise import Confidence
from attention_kata.judge.words import Words, describe, not_imported, raised
from attention_kata.judge.words import refused as refusal
from attention_kata.messages.said import Place, Said, said
from attention_kata.messages.templates import TEMPLATES
from attention_kata.sandbox.observation import Lost, Observation, Outcome, Raised
from attention_kata.sandbox.workers import MEMORY_LIMIT_MB

X = numbers(2, 4)
ITS = exercise([drawn("plain", X)])
TWO = exercise([drawn("plain", X, X)], returns=("output", "weights"))
CHECK = asking("values", "plain")


def words(kind, name="result", found=None, expected=None, observation=None, of_gradient=False):
    finding = Finding(FindingKind(kind), "plain", name, found, expected, of_gradient=of_gradient)
    return describe(finding, CHECK, ITS, observation or returned(X))


def of_facts(kind, name="result", its=ITS, **facts):
    return describe(Finding(FindingKind(kind), "plain", name, facts=facts), CHECK, its, returned(X))


def told(message, hint=None, **more):
    return Words(message=message, hint=said(hint) if isinstance(hint, str) else hint, **more)


def templates_of(message):
    """Those of a message and of everything inside it."""
    yield message.template
    for slot in message.slots.values():
        for each in slot if isinstance(slot, tuple) else (slot,):
            if isinstance(each, Said):
                yield from templates_of(each)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: words("timeout"), told(said("unfinished"), "hint-loop")),
        (lambda: words("timeout", observation=Observation(Outcome.TIMEOUT, cause=said("stopped", seconds=5))),
         told(said("unfinished", cause=said("stopped", seconds=5)), "hint-loop")),
        (lambda: words("crashed"), told(said("ended-python"), "hint-alone")),
        (lambda: words("crashed", observation=Observation(Outcome.CRASHED, cause=said("killed"))),
         told(said("ended-python", cause=said("killed")), "hint-alone")),
        (lambda: words("crashed", observation=Observation(Outcome.CRASHED, cause=said("no-memory"))),
         told(said("ended-python", cause=said("no-memory")), "hint-too-large")),
        (lambda: of_facts("not-raised", expected="ValueError"),
         told(said("not-raised", expected_error="ValueError"), "hint-arguments")),
        (lambda: words("no-gradient", "Q"), told(said("no-gradient", result="Q"), "hint-gradient")),
        (lambda: words("no-gradient", ""), told(said("no-gradient", result=said("the-result")), "hint-gradient")),
        (lambda: words("changed", observation=returned(X, changed=("Q", "K"))),
         told(said("changes-input", changed=("Q", "K")), "hint-in-place")),
        (lambda: words("repeats"), told(said("call-differs"), "hint-left-over")),
        (lambda: words("instances"), told(said("module-differs"), "hint-weights")),
        (lambda: words("device"), told(said("made-on-cpu"), "hint-device")),
        (lambda: words("forbidden", "softmax"), told(said("calls-forbidden", function="softmax"), "hint-by-hand")),
        (lambda: of_facts("operations", counts=[7, 8, 9]),
         told(said("operations-grow", fewer=7, more=9), "hint-at-once")),
    ],
)  # fmt: skip
def test_what_is_said_of_what_happened(found, expected):
    assert found() == expected


def test_what_is_said_of_what_came_back():
    assert of_facts("device", found="cuda", expected="cpu") == told(
        said("other-device", result="result", device="cuda", expected_device="cpu"), "hint-names-device"
    )
    assert of_facts("layout", found="sparse_coo") == told(
        said("layout", result="result", layout="sparse_coo"), "hint-dense"
    )
    assert of_facts("type", found="NoneType") == told(said("returns-none"), "hint-return")
    assert of_facts("type", found="list") == told(said("result-type", type="list"), "hint-tensor")
    assert of_facts("type", "weights", TWO, found="NoneType") == told(
        said("returns-none", result="weights"), "hint-return"
    )
    assert of_facts("type", "weights", TWO, found="list") == told(
        said("result-type", type="list", result="weights"), "hint-tensor"
    )
    assert of_facts("count", found=["NoneType"], shapes=[], expected=1) == told(said("returns-none"), "hint-return")
    assert of_facts("count", its=TWO, found=["Tensor"], shapes=[[2, 4]], expected=2) == told(
        said("result-count", count=2, results=("output", "weights"), number=1, types=("Tensor",)),
        "hint-return-line",
        evidence=said("shapes-returned", shapes=("[2, 4]",)),
    )
    assert of_facts("count", its=TWO, found=["NoneType", "int"], shapes=[], expected=2).evidence is None


@pytest.mark.parametrize(
    ("found", "template"),
    [
        (X, "dtype-only"),
        (X + 0.9e-4, "dtype-only"),
        (1.00009 * X, "dtype-only"),
        (X + 5e-4, "dtype"),
        (X.T, "dtype"),
        (None, "dtype"),
    ],
)
def test_right_numbers_of_another_dtype_are_called_right(found, template):
    finding = Finding(FindingKind.DTYPE, "plain", "result", found, X, {"found": "float32", "expected": "float64"})
    message = said(template, result="result", dtype="float32", expected_dtype="float64")
    sure = Confidence.RELATION if template == "dtype-only" else Confidence.NONE
    assert describe(finding, CHECK, ITS, returned(X)) == told(message, "hint-dtype", confidence=sure)


def test_a_dtype_without_expected_numbers_is_only_a_dtype():
    finding = Finding(FindingKind.DTYPE, "plain", "result", X, None, {"found": "float32", "expected": "float64"})
    assert describe(finding, CHECK, ITS, returned(X)).message.template == "dtype"


def shape_words(found, expected, value=None):
    finding = Finding(FindingKind.SHAPE, "plain", "result", value, expected, {"found": found})
    return describe(finding, CHECK, ITS, returned(X))


def test_a_wrong_shape_is_told_by_its_axes():
    shapes = said("shapes", result="result", found_shape="(T 4, B 2)", expected_shape="(B 2, T 4)")
    swapped = said("shape-swapped", index=0, axis="B", other_axis="T", size=4, expected_size=2)
    assert shape_words((4, 2), X) == told(
        said("shape", result="result", inner=swapped),
        "hint-shapes",
        evidence=shapes,
        shape=shapes,
        confidence=Confidence.RELATION,
    )
    related = shape_words((4, 2), X, X.T)
    assert related.message == said("axes-exchanged", axes=("B", "T"))
    assert related.confidence is Confidence.RELATION
    odd = shape_words((5, 5), X, numbers(5, 5))
    assert odd.message == said("shape", result="result")
    assert odd.confidence is Confidence.NUMBERS
    averaged = shape_words((3,), numbers(5, 3), numbers(5, 3).mean(0))
    assert (averaged.message.template, averaged.confidence) == ("averaged", Confidence.RELATION)


def test_what_is_not_finite_is_told_with_the_first_place():
    found = X.copy()
    found[0, 3], found[1, 1] = np.inf, -np.inf
    assert words("non-finite", found=found, expected=X) == told(
        said("not-finite", result="result"),
        "hint-finite",
        evidence=said("infinite-at", differing=2, total=8, where="B 0, T 3"),
        confidence=Confidence.NUMBERS,
    )
    found[0, 1] = np.nan
    assert words("non-finite", "Q", found, X, of_gradient=True) == told(
        said("not-finite", result=said("gradient-of", inner="Q")),
        "hint-finite",
        evidence=said("nan-at", differing=3, total=8, where="B 0, T 1"),
        confidence=Confidence.NUMBERS,
    )


def test_other_numbers_are_told_by_their_relation_or_by_the_first():
    related = words("values", found=2 * X, expected=X)
    assert related.message == said("factor", number="2")
    assert related.hint == said("hint-formula")
    assert related.evidence.template == "first-mismatch"
    assert related.confidence is Confidence.RELATION
    odd = X.copy()
    odd[1, 1] = 9
    other = words("values", found=odd, expected=X)
    assert other.message == said("other-numbers", result="result")
    assert other.hint == said("hint-example")
    assert other.evidence.slots["where"] == "B 1, T 1"
    assert other.confidence is Confidence.NUMBERS


# ---------------------------------------------------------------------- exceptions


def error(type="ValueError", message="bad", stage="call", file="topic.py", line=3, bases=()):
    return Raised(stage, type, message, file, line, bases)


HERE = Place("topic.py", 3)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (error(), told(said("raised", error="ValueError", place=HERE, text="bad"), "hint-print")),
        (error(file=None), told(said("raised", error="ValueError", text="bad"))),
        (error(line=None), told(said("raised", error="ValueError", text="bad"))),
        (error(stage="backward"),
         told(said("raised", error="ValueError", place=HERE, when=said("when-backward"), text="bad"), "hint-print")),
        (error(stage="second call"),
         told(said("raised", error="ValueError", place=HERE, when=said("when-second call"), text="bad"), "hint-print")),
        (error("SystemExit", stage="build"),
         told(said("asked-to-exit", place=HERE, when=said("when-build")), "hint-exit")),
        (error("NotImplementedError", 'Module [M] is missing the required "forward" function'),
         told(said("no-forward"), "hint-forward")),
        (error("TypeError", 'missing the required "forward"'),
         told(said("raised", error="TypeError", place=HERE, text='missing the required "forward"'), "hint-print")),
        (error("NotImplementedError", ""), told(said("not-written", place=HERE), "hint-not-written")),
        (error("NotImplementedError", "later"),
         told(said("raised", error="NotImplementedError", place=HERE, text="later"), "hint-print")),
        (error("NotImplementedError", "", file=None), told(said("raised", error="NotImplementedError"))),
        (error("ValueError", ""), told(said("raised", error="ValueError", place=HERE), "hint-print")),
        (error("SyntaxError", stage="import"),
         told(said("raised", error="SyntaxError", place=HERE, text="bad"), "hint-syntax")),
        (error("IndentationError", stage="import"),
         told(said("raised", error="IndentationError", place=HERE, text="bad"), "hint-syntax")),
        (error("TabError", stage="import"),
         told(said("raised", error="TabError", place=HERE, text="bad"), "hint-tabs")),
        (error("ModuleNotFoundError", stage="import"),
         told(said("raised", error="ModuleNotFoundError", place=HERE, text="bad"), "hint-modules")),
        (error("ImportError", stage="import"),
         told(said("raised", error="ImportError", place=HERE, text="bad"), "hint-import")),
        (error("ImportError"),
         told(said("raised", error="ImportError", place=HERE, text="bad"), "hint-print")),
        (error("KeyError", stage="import"),
         told(said("raised", error="KeyError", place=HERE, when=said("when-import"), text="bad"), "hint-print")),
        (error("MemoryError", bases=("MemoryError", "Exception")),
         told(said("out-of-memory", place=HERE, limit=MEMORY_LIMIT_MB, text="bad"), "hint-too-large")),
        (error("RuntimeError", "can't allocate memory: you tried to allocate 3145728 bytes.", "backward"),
         told(said("out-of-memory-asked", place=HERE, when=said("when-backward"), limit=MEMORY_LIMIT_MB, megabytes=3),
              "hint-too-large")),
        (error("OSError", "[Errno 12] Cannot allocate memory"),
         told(said("out-of-memory", place=HERE, limit=MEMORY_LIMIT_MB, text="[Errno 12] Cannot allocate memory"),
              "hint-too-large")),
        (error("RuntimeError", "you tried to allocate 3145728 bytes."),
         told(said("raised", error="RuntimeError", place=HERE, text="you tried to allocate 3145728 bytes."),
              "hint-print")),
    ],
)  # fmt: skip
def test_what_is_said_of_an_exception(error, expected):
    assert raised(error) == expected


def test_an_exception_in_place_of_another_says_which_was_asked_for():
    observation = failed("TypeError", "bad")
    inner = said("raised", error="TypeError", place=HERE, text="bad")
    assert words("raised", observation=observation) == told(inner, "hint-print")
    should = said("should-raise", expected_error="ValueError", inner=inner)
    finding = Finding(FindingKind.RAISED, "plain", facts={"expected": "ValueError"})
    assert describe(finding, CHECK, ITS, observation) == told(should, "hint-print")


def test_a_file_that_could_not_be_imported():
    cause = said("stopped", seconds=5.0)
    assert not_imported("topic.py", Lost(Outcome.TIMEOUT, cause)) == told(
        said("import-unfinished", file="topic.py", cause=cause), "hint-loop-outside"
    )
    assert not_imported("topic.py", Lost(Outcome.CRASHED, said("killed"))) == told(
        said("import-ended-python", file="topic.py", cause=said("killed")), "hint-ends-outside"
    )


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"kind": "missing", "expected": "function"},
         told(said("no-function", exercise="thing", file="topic.py"), said("hint-reset", file="topic.py"))),
        ({"kind": "missing", "expected": "class"},
         told(said("no-class", exercise="thing", file="topic.py"), said("hint-reset", file="topic.py"))),
        ({"kind": "not-callable", "found": "int", "expected": "function"},
         told(said("not-a-function", exercise="thing", type="int"), "hint-twice")),
        ({"kind": "not-callable", "found": "int", "expected": "class"},
         told(said("not-a-class", exercise="thing", type="int"), "hint-twice")),
        ({"kind": "signature", "found": "(x)", "expected": "2", "message": "too many"},
         told(said("signature", count=2, signature="(x)", text="too many"), "hint-def")),
        ({"kind": "signature", "found": "(x)", "expected": "99"}, told(said("signature", count=99, signature="(x)"),
                                                                        "hint-def")),
        ({"kind": "signature", "found": "(x)", "expected": "100"}, told(said("could-not-run", text="signature"))),
        ({"kind": "signature", "expected": "²"}, told(said("could-not-run", text="signature"))),
        ({"kind": "signature", "expected": "٣"}, told(said("could-not-run", text="signature"))),
        ({"kind": "signature", "expected": "x"}, told(said("could-not-run", text="signature"))),
        ({"kind": "not-a-module", "found": "thing"}, told(said("not-a-module", exercise="thing"), "hint-brackets")),
        ({"kind": "not-a-module", "found": "dict"},
         told(said("made-no-module", exercise="thing", type="dict"), "hint-base")),
        ({"kind": "else"}, told(said("could-not-run", text="else"))),
        ({"kind": "layers", "missing": ["wq.weight"], "found": ["own"], "shapes": []},
         told(said("layers", parts=(said("layers-missing", missing=("wq.weight",), layers=("own",)),)),
              "hint-layers")),
        ({"kind": "layers", "missing": ["wq.weight"], "found": [],
          "shapes": [{"name": "wq.bias", "found": [2], "expected": [3, 4]}]},
         told(said("layers", parts=(said("layers-all-missing", missing=("wq.weight",)),
                                    said("layer-shape", name="wq.bias", found_shape="(2,)", expected_shape="(3, 4)"))),
              "hint-layers")),
        ({"kind": "layers", "missing": [], "found": ["own"],
          "shapes": [{"name": "wq.bias", "found": [2], "expected": [3, 4]}]},
         told(said("layers", parts=(said("layer-shape", name="wq.bias", found_shape="(2,)", expected_shape="(3, 4)"),
                                    )), "hint-layers")),
    ],
)  # fmt: skip
def test_what_is_said_of_a_refusal(facts, expected):
    assert refusal(ITS, facts) == expected
    assert words("refused", observation=refused(**facts)) == expected


def test_every_message_and_hint_has_its_template():
    said_here = [
        words("timeout"), words("crashed"), words("repeats"), words("instances"), words("device"),
        words("values", found=2 * X, expected=X), shape_words((4, 2), X), raised(error()),
    ]  # fmt: skip
    for each in said_here:
        for message in (each.message, each.hint, each.evidence, each.shape):
            if message is not None:
                assert set(templates_of(message)) <= TEMPLATES.keys()


def test_words_say_nothing_that_they_were_not_given():
    silent = Words(message=said("call-differs"))
    assert (silent.hint, silent.evidence, silent.shape, silent.confidence) == (None, None, None, Confidence.NONE)
