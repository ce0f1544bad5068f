"""What a student sees on Gradescope, GitHub Classroom and in JUnit reports: all of their own, nothing of the key."""

import base64
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from classes import DUE, ODD_NAMES, make_class
from conftest import kata, right, write
from msgspec import convert

from attention_kata.course.find import find_course
from attention_kata.export import FORMATS
from attention_kata.export.public import message, summary, told
from attention_kata.export.request import Request, of_evidence
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Adjustment
from attention_kata.judge.diagnose import diagnose
from attention_kata.judge.evidence import CheckEvidence, from_json, json_bytes, to_json
from attention_kata.judge.score import ExerciseGrade, Grade, evidence_of
from attention_kata.key.file import load_key
from attention_kata.messages.render import Voice, render
from attention_kata.messages.said import said
from attention_kata.messages.templates import Audience
from attention_kata.report.feedback import feedback_for
from attention_kata.sandbox.observation import Observation, Outcome, Raised, Seen
from attention_kata.text import visible

KEY = load_key(find_course().public_key)
ATTENTION = next(e for e in KEY.exercises if e.name == "attention")
VOICE = Voice(Audience.PUBLIC, files=frozenset({"attention.py"}))
FOR_ONE = ("gradescope", "classroom", "junit")
# JUnit's usual schema (Jenkins, and what GitLab, Azure and others read): element -> its children and attributes.
SCHEMA = {
    "testsuites": ({"testsuite"}, {"name"}),
    "testsuite": ({"properties", "testcase"}, {"name", "tests", "failures", "errors", "skipped", "time"}),
    "properties": ({"property"}, set()),
    "property": (set(), {"name", "value"}),
    "testcase": ({"failure", "error", "skipped"}, {"classname", "name", "time"}),
    "failure": (set(), {"message", "type"}),
    "error": (set(), {"message", "type"}),
    "skipped": (set(), {"message"}),
}


NOTHING = render(said("status-missing"))
LATE = "Handed in 1 hour after the due date: 10% of the points are taken off. 24.5 points minus 2.45 leaves 22.05."


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("class") / "grades.db"
    with make_class(path, len(ODD_NAMES), missing=1) as grades:
        grades.set("due", DUE.isoformat())
        grades.set("late", "per-day 10%")
        grades.adjust(
            Adjustment(
                student="s00000",
                exercise="softmax",
                check="values",
                points=0.5,
                comment="see\x1b me",
                automatic=1.0,
                made_at=DUE,
            )
        )
        grades.adjust(Adjustment(student="s00001", points=50.0, comment="oral exam", automatic=25, made_at=DUE))
    return path


def text(name, db, **options):
    data = b"".join(FORMATS[name].produce(Request(db=db, say=lambda _: None, **options)))
    return base64.b64decode(data).decode() if name == "classroom" else data.decode()


def gradescope(db, student):
    return json.loads(text("gradescope", db, student=student))


def classroom(db, student):
    return json.loads(text("classroom", db, student=student))


# ---------------------------------------------------------------------- Gradescope


def test_the_score_is_the_final_grade_and_the_checks_are_the_tests(db):
    result = gradescope(db, "s00000")
    assert (result["score"], len(result["tests"]), result["stdout_visibility"]) == (69.5, 131, "hidden")
    assert sum(test["score"] for test in result["tests"]) == 69.5
    assert sum(test["max_score"] for test in result["tests"]) == 100.0


def test_a_decision_by_hand_shows_in_its_test_with_the_comment(db):
    result = gradescope(db, "s00000")
    changed = [test for test in result["tests"] if test["score"] not in (0.0, test["max_score"])]
    assert [(test["tags"], test["score"], test["status"]) for test in changed] == [(["softmax"], 0.5, "failed")]
    assert result["output"] == "softmax/values: see\\x1b me"


def test_lateness_is_in_the_score_and_in_words(db):
    result = gradescope(db, "s00007")
    assert (result["score"], result["output"]) == (22.05, LATE)


def test_without_a_grade_there_is_no_score_at_all(db):
    result = gradescope(db, f"s{len(ODD_NAMES):05}")
    assert ("score" in result, result["tests"], result["output"]) == (False, [], NOTHING)


def test_what_could_not_be_graded_is_no_zero_in_any_format(tmp_path):
    with make_class(tmp_path / "grades.db", 1, missing=0) as grades:
        grades._write("UPDATE results SET fault = 'no worker', points = 0")
    path = tmp_path / "grades.db"
    assert "score" not in gradescope(path, "s00000")
    assert classroom(path, "s00000")["status"] == "error"
    suite = ET.fromstring(text("junit", path)).find("testsuite")
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("1", "1", "0")
    assert "points" not in {p.get("name") for p in suite.iter("property")}


def test_a_failed_check_says_why_and_asks_the_question(db):
    test = gradescope(db, "s00001")["tests"][2]
    assert test["status"] == "failed"
    assert test["output"].startswith("Your scores are the raw dot products: nothing scales them.\nHow does")


# ---------------------------------------------------------------------- GitHub Classroom


@pytest.mark.parametrize(("student", "points"), [("s00000", 69.5), ("s00001", 50.0), ("s00007", 22.05)])
def test_the_scores_of_the_tests_add_up_to_the_final_grade(db, student, points):
    result = classroom(db, student)
    assert (result["version"], result["max_score"], result["status"]) == (1, 100.0, "fail")
    assert sum(test["score"] for test in result["tests"]) == pytest.approx(points)


def test_a_test_of_classroom_has_the_fields_of_its_format(db):
    fields = {"name", "status", "score", "message", "test_code", "filename", "line_no", "duration"}
    result = classroom(db, "s00001")
    assert {frozenset(test) for test in result["tests"]} == {frozenset(fields)}
    assert {test["status"] for test in result["tests"]} == {"pass", "fail", "error"}


def test_the_output_is_one_line_of_base64(db, tmp_path):
    run = kata("export", "classroom", "--student", "s00000", "--db", db, "--out", "-", cwd=tmp_path)
    assert re.fullmatch(r"[A-Za-z0-9+/=]+\n", run.stdout)


def test_a_step_needs_no_database_only_what_check_prints(tmp_path):
    write(tmp_path, {"attention.py": right("attention")})
    (tmp_path / "result.json").write_text(kata("check", "--json", "attention_scores", cwd=tmp_path).stdout)
    run = kata("export", "classroom", "--from", "result.json", "--out", "-", cwd=tmp_path)
    result = json.loads(base64.b64decode(run.stdout))
    assert (result["status"], result["max_score"], len(result["tests"])) == ("pass", 8.0, 9)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[1]",
        '{"schema": 3, "exercises": []}',
        '{"schema": 1, "exercises": 3}',
        '{"schema": 1, "exercises": []}',
    ],
)
def test_what_check_did_not_print_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "result.json").write_text(content)
    run = kata("export", "junit", "--from", "result.json", "--out", "-", cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert "is not what `kata check --json` prints" in run.stderr


# ---------------------------------------------------------------------- JUnit


def test_the_xml_has_the_usual_shape(db):
    root = ET.fromstring(text("junit", db))
    wrong = [
        element.tag
        for element in root.iter()
        if not {child.tag for child in element} <= SCHEMA[element.tag][0]
        or not set(element.attrib) <= SCHEMA[element.tag][1]
    ]
    assert (root.tag, wrong) == ("testsuites", [])
    assert all(suite[0].tag == "properties" and {c.tag for c in suite[1:]} == {"testcase"} for suite in root)


def test_the_counts_of_a_suite_are_those_of_its_cases(db):
    for suite in ET.fromstring(text("junit", db)):
        for attribute, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"),
                                ("skipped", "testcase/skipped")):  # fmt: skip
            assert int(suite.get(attribute)) == len(suite.findall(path))


def test_failed_error_and_skipped_are_told_apart(db):
    kurt = ET.fromstring(text("junit", db, student="s00004"))
    found = {kind: kurt.findall(f".//{kind}") for kind in ("failure", "error", "skipped")}
    assert all(found.values())
    assert "You hand a plain Python number" in found["error"][0].get("message")
    assert found["failure"][0].get("message").startswith("softmax calls torch's softmax")


def test_the_points_are_in_the_properties(db):
    suite = ET.fromstring(text("junit", db, student="s00000"))[0]
    facts = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert (facts["points"], facts["max_points"], facts["automatic"]) == ("69.5", "100", "70")
    assert facts["points of softmax/values"] == "0.5"
    assert sum(float(v) for k, v in facts.items() if k.startswith("max_points of ")) == 100.0


def test_somebody_who_handed_nothing_in_does_not_look_like_a_pass(db):
    suite = ET.fromstring(text("junit", db, student=f"s{len(ODD_NAMES):05}"))[0]
    assert (suite.get("errors"), suite.find("testcase/error").get("message")) == ("1", NOTHING)


def test_odd_ids_and_comments_are_legal_xml(tmp_path):
    odd = [*ODD_NAMES, "\x00\ud800\uffff]]>&\"'<"]
    with make_class(tmp_path / "grades.db", 1, missing=0) as grades:
        for i, name in enumerate(odd):
            grades.adjust(
                Adjustment(student="s00000", exercise="softmax", check=f"check {i}", comment=name, made_at=DUE)
            )
    suite = ET.fromstring(text("junit", tmp_path / "grades.db"))[0]
    said = next(p.get("value") for p in suite.iter("property") if p.get("name") == "said")
    assert [name for name in odd if visible(name) not in said] == []


# ---------------------------------------------------------------------- nothing of the key

SECRET = "0.31415926"
LEAKS = {
    "an exception": f"ValueError in attention.py, line 3: tensor([{SECRET}])",
    "an exception's type": f"E{SECRET} in attention.py, line 3",
    "a type that looks like ours": f"attention.py is missing from {SECRET}.",
    "a wanted exception": f"It should raise ValueError here. KeyError in attention.py, line 3: {SECRET}",
    "the type of a result": f"It returns a T{SECRET}; a torch tensor was expected.",
    "how many results": f"It should return 2 results (output and weights); it returned 1: a {SECRET}.",
    "a parameter": f"These parameters are missing: w (found: p{SECRET}).",
    "a shift": f"Every number is off by the same {SECRET}.",
    "a device": f"The result: a tensor on the device {SECRET} was returned; the inputs are on cpu.",
    "a forged report": f"It did not finish: a report on {SECRET}.",
    "a file elsewhere": f"KeyError in {SECRET}.py, line 3: x",
    "a signature": f"The exercise calls it with 2 arguments; found 3: {SECRET}.",
}


def of_schema_1(verdict, text):
    """A check as release 0.1.0 kept it: with its message as a text alone."""
    facts = {
        "id": "values", "category": "values", "title": "t", "verdict": verdict, "points": 0.0, "max_points": 1.0,
        "mistakes": [], "confidence": "", "message": text, "hint": "",
        "details": {"first_mismatch": text, "shape": text, "heat": None}, "learner_line": 3, "seconds": 0.0,
    }  # fmt: skip
    return convert(facts, CheckEvidence)


@pytest.mark.parametrize("text", LEAKS.values(), ids=LEAKS.keys())
@pytest.mark.parametrize("verdict", ["failed", "error", "timeout", "crashed", "skipped", "ungradable"])
def test_a_text_that_an_earlier_release_kept_reaches_no_platform(text, verdict):
    check = of_schema_1(verdict, text)
    told = (message(check, VOICE), check.told(VOICE))
    assert [each for each in told if SECRET in each or not each] == []


TENSOR = Seen(f"T{SECRET}", SECRET, (7, 314, 159), SECRET, SECRET)
ODD_TENSORS = [
    replace(TENSOR, type="Tensor"),
    replace(TENSOR, type="Tensor", shape=ATTENTION.cases[0].results[0].shape),
]
REPLIES = {  # everything that a worker's reply can carry a text of the submission's in
    "an exception": {"error": Raised("call", f"E{SECRET}", SECRET, f"{SECRET}.py", 31415926, (SECRET,))},
    "its text": {"error": Raised("call", "ValueError", SECRET, "attention.py", 3)},
    "its stage": {"error": Raised(SECRET, "ValueError", SECRET, "attention.py", 3)},
    "its line": {"error": Raised("call", "ValueError", "", "attention.py", 31415926)},
    "its type, with words like ours": {
        "error": Raised("call", f"x {SECRET} holds numbers that are not finite.", "", None, None)
    },
    "a lack of memory": {"error": Raised("call", "RuntimeError", f"can't allocate memory {SECRET}", None, None)},
    "how much memory": {
        "error": Raised("call", "E", "can't allocate memory: allocate 31415926535897 bytes", "attention.py", 3)
    },
    "a call to exit": {"error": Raised("build", "SystemExit", SECRET, f"{SECRET}.py", 3)},
    "not written": {"error": Raised("call", "NotImplementedError", "", f"{SECRET}.py", 3)},
    "the type of a result": {"results": (TENSOR,) * 2},
    "how many results": {"results": (TENSOR,) * 3},
    "the rest of a result": {"results": tuple(ODD_TENSORS)},
    "the names of gradients": {"results": tuple(ODD_TENSORS), "gradients": {SECRET: TENSOR}},
    "a changed input": {"results": tuple(ODD_TENSORS), "changed": (SECRET,)},
    "functions": {"results": tuple(ODD_TENSORS), "functions": (SECRET,)},
    **{
        f"refused: {kind}": {"refused": {"kind": kind, "found": SECRET, "expected": SECRET, "message": SECRET}}
        for kind in ("missing", "not-callable", "signature", "not-a-module", SECRET)
    },
    "a signature": {"refused": {"kind": "signature", "found": SECRET, "expected": "2", "message": SECRET}},
    "parameters": {
        "refused": {"kind": "layers", "missing": [SECRET], "found": [f"p{SECRET}"],
                    "shapes": [{"name": SECRET, "found": [31415926], "expected": [31415926]}]}
    },
    "why it was lost": {"cause": said("reply-not-understood", text=SECRET)},
}  # fmt: skip


def outcome_of(reply):
    by_field = {"error": Outcome.RAISED, "refused": Outcome.REFUSED, "cause": Outcome.CRASHED}
    return next((outcome for field, outcome in by_field.items() if field in reply), Outcome.RETURNED)


def what_students_read(exercise, reply):
    """(what the learner with the public key reads, what a student of a class does) of one reply to every call."""
    observation = Observation(outcome_of(reply), **reply)
    seen = {case.id: observation for case in exercise.cases}
    verdicts = diagnose(exercise, KEY.catalogue, seen)
    evidence = evidence_of(Grade(key=KEY, exercises=(ExerciseGrade(exercise, verdicts),), student="s", output=SECRET))
    kept = from_json(json.loads(json_bytes(to_json(evidence))))
    row = of_evidence(kept)
    pages = repr(feedback_for(row, "Course"))
    checks = [check for _, check in kept.checks if not check.passed]
    private = " ".join(f"{c.message} {c.details.first_mismatch} {c.details.shape}" for c in checks)
    return private, " ".join([*map(repr, told(row)), summary(row), pages])


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES.keys())
def test_what_a_submission_says_reaches_no_student(reply):
    for exercise in (ATTENTION, next(e for e in KEY.exercises if e.name == "SelfAttention")):
        _, public = what_students_read(exercise, reply)
        assert [secret for secret in (SECRET, "31415926", "314, 159", "29961") if secret in public] == []


def test_the_test_of_replies_would_notice():
    """Most of them are shown to somebody who may see them."""
    shown = [SECRET in what_students_read(ATTENTION, reply)[0] for reply in REPLIES.values()]
    assert sum(shown) > len(shown) / 2


def test_numbers_of_the_key_reach_no_student():
    """Results that are off by one number or factor, of which the learner is told."""
    for exercise in (ATTENTION,):
        for spoil in (lambda x: 3.1415926 * x, lambda x: x + 3.1415926):
            seen = {
                case.id: Observation(
                    Outcome.RETURNED,
                    tuple(
                        Seen("Tensor", dtype, r.shape, "cpu", "strided", spoil(r) if r.dtype != bool else r)
                        for r, dtype in zip(case.results, case.dtypes, strict=True)
                    ),
                )
                for case in exercise.cases
            }
            verdicts = diagnose(exercise, KEY.catalogue, seen)
            grade = Grade(key=KEY, exercises=(ExerciseGrade(exercise, verdicts),), student="s")
            row = of_evidence(evidence_of(grade))
            private = " ".join(check.message for _, check in row.result.evidence.checks)
            public = " ".join([*map(repr, told(row)), repr(feedback_for(row, "Course"))])
            assert ("3.142" in private, "3.14" in public) == (True, False)


MORE = render(said("says-more"))


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (Raised("import", "SyntaxError", "'(' was never closed", "attention.py", 3),
         f"SyntaxError in attention.py, line 3. {MORE}"),
        (Raised("call", "ValueError", "x", "other.py", 3), f"ValueError. {MORE}"),
        (Raised("call", "Mine", "", "attention.py", 3), f"An exception in attention.py, line 3. {MORE}"),
    ],
)  # fmt: skip
def test_what_remains_of_an_error_still_helps(error, shown):
    seen = {case.id: Observation(Outcome.RAISED, error=error) for case in ATTENTION.cases}
    verdicts = diagnose(ATTENTION, KEY.catalogue, seen)
    row = of_evidence(evidence_of(Grade(key=KEY, exercises=(ExerciseGrade(ATTENTION, verdicts),), student="s")))
    assert shown in {check.message for check in told(row)}


def test_our_own_sentences_about_the_examples_are_all_let_through(db):
    hidden = set()
    for row in Request(db=db).rows():
        checks = row.result.evidence.checks if row.result is not None else ()
        voice = row.result.evidence.for_student() if row.result is not None else VOICE
        general = render(said("general-failed"))
        hidden |= {check.message for _, check in checks if message(check, voice).startswith(general)}
    assert hidden == set()


def _secrets(db, student):
    """Numbers, pictures and print-outs of the evidence, the key's id, other students."""
    with Grades(db) as grades:
        result = next(grades.results(student))
        found = {result.identity.key, result.identity.source, *(s.id for s in grades.students() if s.id != student)}
    found.add(result.evidence.output.strip())
    for _, check in result.evidence.checks:
        found.add(check.details.first_mismatch)
        heat = check.details.heat
        rows = [*heat.expected, *heat.found] if heat is not None else []
        found |= {str(number) for row in rows for number in row if number is not None and len(str(number)) > 5}
    return found - {""}


@pytest.mark.parametrize("name", FOR_ONE)
@pytest.mark.parametrize("student", ["s00000", "s00001", "s00002", "s00003", "s00004"])
def test_nothing_of_the_key_or_of_others_is_in_what_a_student_sees(db, name, student):
    secrets = _secrets(db, student)
    assert len(secrets) > 10
    said = text(name, db, student=student)
    assert [secret for secret in secrets if secret in said] == []


def test_the_leak_test_would_notice(db):
    assert [secret for secret in _secrets(db, "s00001") if secret in text("json", db, student="s00001")] != []


@pytest.mark.parametrize(
    ("verdict", "begins"),
    [("timeout", "It did not finish"), ("crashed", "The Python process ended"),
     ("ungradable", "This check could not be"), ("skipped", "Skipped: another check"), ("passed", ""),
     ("failed", "The result is not"),
     ("error", "Your code could not be run")],
)  # fmt: skip
def test_every_verdict_has_words_of_its_own(verdict, begins):
    words = message(of_schema_1(verdict, "" if verdict == "passed" else "whatever the submission said"), VOICE)
    assert words.startswith(begins)
    assert bool(words) == bool(begins)
