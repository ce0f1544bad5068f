"""Evidence: how far somebody has got, what says most, and the JSON that is kept."""

import json

import msgspec
import pytest

from attention_kata.judge import evidence as module
from attention_kata.judge.evidence import (
    MARKS,
    CheckEvidence,
    CourseVersion,
    Details,
    Evidence,
    ExerciseEvidence,
    Heat,
    Sayings,
    State,
    VerdictKind,
    class_json,
    from_json,
    json_bytes,
    to_json,
)
from attention_kata.messages.render import LEARNER, Voice
from attention_kata.messages.said import Place, said
from attention_kata.messages.templates import Audience

PUBLIC = Voice(Audience.PUBLIC)


def check(id="values", verdict="failed", message="Wrong.", **facts):
    defaults = {
        "category": "values",
        "title": "the values",
        "points": 1.0 if verdict == "passed" else 0.0,
        "max_points": 1.0,
        "mistakes": (),
        "confidence": "",
        "hint": "Why?",
        "details": Details(),
        "learner_line": None,
        "seconds": 0.0,
    }
    return CheckEvidence(id=id, verdict=VerdictKind(verdict), message=message, **(defaults | facts))


def of(*checks, points=None, not_started=False):
    points = sum(each.points for each in checks) if points is None else points
    return ExerciseEvidence(
        id="thing", file="topic.py", points=points, max_points=9.0, not_started=not_started, checks=checks
    )


def whole(*exercises, **facts):
    defaults = {"student": "ada", "points": 1.0, "max_points": 9.0, "output": "", "isolation": {}}
    return Evidence(schema=2, course=CourseVersion("course", "7"), exercises=exercises, **(defaults | facts))


GOOD, BAD = check("good", "passed", ""), check("bad")


# ---------------------------------------------------------------------- how far


@pytest.mark.parametrize(
    ("exercise", "state", "mark"),
    [
        (of(GOOD, GOOD), State.PASSED, "✓"),
        (of(GOOD, not_started=True), State.PASSED, "✓"),
        (of(GOOD, BAD), State.PARTLY, "●"),
        (of(BAD), State.NONE, "✗"),
        (of(BAD, not_started=True), State.NEW, "○"),
    ],
)
def test_how_far_somebody_has_got(exercise, state, mark):
    assert exercise.state is state
    assert MARKS[exercise.state] == mark
    assert exercise.passed is (state is State.PASSED)
    assert whole(of(GOOD), exercise).passed is exercise.passed


def test_only_passed_is_passed():
    assert [check(verdict=kind).passed for kind in VerdictKind] == [True] + 6 * [False]


def test_checks_are_given_with_their_exercises():
    one, two = of(GOOD, BAD), of(BAD)
    assert list(whole(one, two).checks) == [(one, GOOD), (one, BAD), (two, BAD)]


def test_a_student_is_spoken_to_of_the_files_of_the_course():
    other = msgspec.structs.replace(of(BAD), file="other.py")
    assert whole(of(BAD), other).for_student() == Voice(Audience.PUBLIC, files=frozenset({"topic.py", "other.py"}))


# ---------------------------------------------------------------------- what says most


def test_what_failed_tells_and_what_was_skipped_only_for_a_reason_of_its_own():
    first, second = check("first", message="A"), check("second", "error", message="B")
    echo, own = check("echo", "skipped", message="A"), check("own", "skipped", message="C")
    exercise = of(echo, first, GOOD, own, second)
    assert exercise.failing == (echo, first, own, second)
    assert exercise.telling == [first, second, own]
    assert exercise.causes == [[first, echo], [second], [own]]
    assert exercise.first_failing is first


def test_a_known_mistake_says_most():
    named = check("named", message="B", mistakes=("one",))
    assert of(BAD, named).first_failing is named
    skipped = check("skipped", "skipped", message="C", mistakes=("one",))
    assert of(skipped, BAD).first_failing is skipped
    assert of(GOOD).failing == ()


def saying(template, id=None, **facts):
    message = said("fact-then", first=said(template), second=said("shape")) if facts.pop("likely", None) else None
    return check(id or template, message=template, said=Sayings(message=message or said(template)), **facts)


def test_the_root_is_told_before_what_comes_of_it():
    other, named = saying("other-numbers"), saying("mistakes", mistakes=("one",))
    sums, zero = saying("sums"), saying("all-number", mistakes=("one",), likely=True)
    changed, random = saying("changes-input"), saying("call-differs")
    exercise = of(other, named, sums, zero, changed, random)
    told = [random, changed, zero, sums, other, named]
    assert exercise.telling == told
    assert exercise.causes == [[each] for each in told]
    assert exercise.first_failing is random
    assert of(other, named).first_failing is named


@pytest.mark.parametrize(
    ("facts", "known"),
    [
        ({}, False),
        ({"verdict": "timeout"}, False),
        ({"verdict": "error"}, True),
        ({"verdict": "skipped"}, True),
        ({"mistakes": ("one",), "confidence": "exact"}, True),
        ({"mistakes": ("one", "two"), "confidence": "either"}, False),
    ],
)
def test_where_a_cause_is_known(facts, known):
    assert check(**facts).cause_known is known


@pytest.mark.parametrize(
    ("facts", "place"),
    [
        ({"learner_line": 3}, "topic.py, line 3"),
        ({}, "topic.py"),
        ({"learner_line": 3, "learner_cell": 4}, "cell 4, line 3"),
        ({"learner_cell": 4}, "cell 4"),
    ],
)
def test_where_a_check_points(facts, place):
    assert of(BAD).place(check(**facts)) == place


# ---------------------------------------------------------------------- what is said


def test_a_message_as_data_is_told_to_each_reader():
    sayings = Sayings(message=said("factor", number="2"), hint=said("hint-formula"))
    own = check(said=sayings)
    assert own.told(LEARNER) == "Every number is 2 times what it should be."
    assert own.told(PUBLIC) == "Every number is off by the same factor."
    assert own.asked(LEARNER) == "Look for the step that does this, and ask whether the formula has it."
    assert own.says == "factor"
    assert check(said=Sayings(message=said("factor"))).asked(LEARNER) == ""


def test_what_a_reader_may_not_see_is_told_in_general():
    hidden = check(verdict="error", said=Sayings(message=said("text", text="secret")))
    assert hidden.told(LEARNER) == "secret"
    assert hidden.told(PUBLIC) == "Your code could not be run to the end."
    assert check("good", "passed", "").told(PUBLIC) == ""


def test_evidence_of_an_earlier_release_is_told_as_its_text():
    old = check(message="Wrong, by 3.")
    assert (old.told(LEARNER), old.asked(LEARNER), old.says) == ("Wrong, by 3.", "Why?", "")
    assert old.told(PUBLIC) == "The result is not the expected one."
    named = check(message="You forgot the scale.", mistakes=("one",))
    assert named.told(PUBLIC) == named.told(LEARNER) == "You forgot the scale."


# ---------------------------------------------------------------------- JSON

FULL = whole(
    of(
        check(
            learner_line=3,
            learner_cell=2,
            elsewhere=Place("lib.py", 4),
            already_right=("the scale",),
            details=Details(
                heat=Heat(name="w", rows="T", columns="S", at="", expected=[[1.0]], found=[[None]], first=(0, 4))
            ),
            said=Sayings(message=said("factor", number="2"), hint=said("hint-formula"), shape=said("shape")),
        )
    ),
    fault="ours",
)


def test_evidence_comes_back_from_its_json():
    assert from_json(json.loads(json.dumps(to_json(FULL)))) == FULL
    with pytest.raises(msgspec.ValidationError):
        from_json({"schema": 2})
    with pytest.raises(msgspec.ValidationError):
        from_json(to_json(FULL) | {"points": "many"})


def test_what_is_empty_is_left_out_of_the_json():
    written = to_json(whole(of(GOOD)))
    assert "fault" not in written
    [exercise] = written["exercises"]
    assert exercise.keys() == {"id", "file", "points", "max_points", "not_started", "checks"}
    assert " ".join(exercise["checks"][0]) == (
        "id category title verdict points max_points mistakes confidence message hint details learner_line seconds"
    )
    assert exercise["checks"][0]["details"] == {"first_mismatch": "", "shape": "", "heat": None}
    heat = to_json(FULL)["exercises"][0]["checks"][0]["details"]["heat"]
    assert heat["first"] == (0, 4)
    plain = Heat(name="w", rows="T", columns="S", at="", expected=[], found=[])
    assert plain.first == (0, 0)
    assert "first" not in msgspec.to_builtins(plain)


def test_json_is_utf_8_in_one_space_steps_and_holds_any_text():
    assert json_bytes({"name": "Zoë", "byte": "\udcff"}) == (
        '{\n "name": "Zoë",\n "byte": "'.encode() + b"\\udcff" + b'"\n}'
    )


def test_a_class_is_one_json_object():
    one, two = whole(of(GOOD)), whole(of(BAD), student="grace")
    written = b"".join(class_json([one, two]))
    assert json.loads(written) == {"schema": 2, "submissions": json.loads(json.dumps([to_json(one), to_json(two)]))}
    assert written == (
        b'{"schema": 2, "submissions": [\n' + json_bytes(to_json(one)) + b",\n" + json_bytes(to_json(two)) + b"\n]}\n"
    )
    assert b"".join(class_json([])) == b'{"schema": 2, "submissions": [\n]}\n'


def test_the_names_in_the_json_are_these():
    assert " ".join(VerdictKind) == "passed failed error timeout crashed skipped ungradable"
    assert " ".join(State) == "passed partly none new"
    assert module.SCHEMA == 2
    minimal = check()
    assert (minimal.learner_cell, minimal.elsewhere, minimal.already_right, minimal.said) == (None, None, (), None)
    assert (Details().first_mismatch, Details().shape, Details().heat) == ("", "", None)
    assert (of().key, whole().fault) == ("", "")
