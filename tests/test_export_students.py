"""What a student sees on Gradescope, GitHub Classroom and in JUnit reports: all of their own, nothing of the key."""

import base64
import json
import re
import xml.etree.ElementTree as ET

import pytest
from classes import DUE, ODD_NAMES, make_class
from conftest import kata, right, write

from attention_kata.export import FORMATS
from attention_kata.export.public import MORE, message
from attention_kata.export.request import Request
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Adjustment
from attention_kata.text import visible

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
                automatic=1.5,
                made_at=DUE,
            )
        )
        grades.adjust(Adjustment(student="s00001", points=50.0, comment="oral exam", automatic=26.5, made_at=DUE))
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
    assert (result["score"], len(result["tests"]), result["stdout_visibility"]) == (69.0, 107, "hidden")
    assert sum(test["score"] for test in result["tests"]) == 69.0
    assert sum(test["max_score"] for test in result["tests"]) == 100.0


def test_a_decision_by_hand_shows_in_its_test_with_the_comment(db):
    result = gradescope(db, "s00000")
    changed = [test for test in result["tests"] if test["score"] not in (0.0, test["max_score"])]
    assert [(test["tags"], test["score"], test["status"]) for test in changed] == [(["softmax"], 0.5, "failed")]
    assert result["output"] == "softmax/values: see\\x1b me"


def test_lateness_is_in_the_score_and_in_words(db):
    result = gradescope(db, "s00007")
    assert (result["score"], result["output"]) == (22.05, "Handed in late: 10% of 24.5 points are taken off.")


def test_without_a_grade_there_is_no_score_at_all(db):
    result = gradescope(db, f"s{len(ODD_NAMES):05}")
    assert ("score" in result, result["tests"], result["output"]) == (False, [], "Nothing was handed in.")


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
    test = gradescope(db, "s00001")["tests"][1]
    assert test["status"] == "failed"
    assert test["output"].startswith("Your scores are the raw dot products: nothing scales them.\nHow does")


# ---------------------------------------------------------------------- GitHub Classroom


@pytest.mark.parametrize(("student", "points"), [("s00000", 69.0), ("s00001", 50.0), ("s00007", 22.05)])
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
    assert (result["status"], result["max_score"], len(result["tests"])) == ("pass", 8.0, 7)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[1]",
        '{"schema": 2, "exercises": []}',
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
    assert found["error"][0].get("message").startswith("You hand a plain Python number")
    assert found["failure"][0].get("message").startswith("softmax calls torch's softmax")


def test_the_points_are_in_the_properties(db):
    suite = ET.fromstring(text("junit", db, student="s00000"))[0]
    facts = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert (facts["points"], facts["max_points"], facts["automatic"]) == ("69", "100", "70")
    assert facts["points of softmax/values"] == "0.5"
    assert sum(float(v) for k, v in facts.items() if k.startswith("max_points of ")) == 100.0


def test_somebody_who_handed_nothing_in_does_not_look_like_a_pass(db):
    suite = ET.fromstring(text("junit", db, student=f"s{len(ODD_NAMES):05}"))[0]
    assert (suite.get("errors"), suite.find("testcase/error").get("message")) == ("1", "Nothing was handed in.")


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


@pytest.mark.parametrize("text", LEAKS.values(), ids=LEAKS.keys())
@pytest.mark.parametrize("verdict", ["failed", "error", "timeout", "crashed", "skipped", "ungradable"])
def test_what_a_submission_says_reaches_no_platform(text, verdict):
    check = {"verdict": verdict, "message": text, "mistakes": []}
    assert SECRET not in message({"id": "attention", "file": "attention.py"}, check)


def test_an_exception_whose_type_says_what_we_say_is_not_taken_for_our_words():
    check = {"verdict": "error", "message": f"x {SECRET} holds numbers that are not finite.", "mistakes": []}
    assert SECRET not in message({"id": "attention", "file": "attention.py"}, check)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("SyntaxError in attention.py, line 3: '(' was never closed", f"SyntaxError in attention.py, line 3. {MORE}"),
        ("ValueError in other.py, line 3: x", f"ValueError. {MORE}"),
        ("attention.py is missing from ada.", "attention.py is missing."),
        ("attention.py is larger than 1 MB.", "attention.py is too large."),
        ("It should raise ValueError here. KeyError in attention.py, line 3: 'x'",
         f"It should raise ValueError here. KeyError in attention.py, line 3. {MORE}"),
        ("There is no class named attention in attention.py.", "There is no class named attention in attention.py."),
    ],
)  # fmt: skip
def test_what_remains_of_an_error_still_helps(text, shown):
    check = {"verdict": "error", "message": text, "mistakes": []}
    assert message({"id": "attention", "file": "attention.py"}, check) == shown


def test_our_own_sentences_about_the_examples_are_all_let_through(db):
    hidden = set()
    for row in Request(db=db).rows():
        for exercise in row.exercises:
            for check in exercise["checks"]:
                if check["verdict"] == "failed" and message(exercise, check).endswith(MORE):
                    hidden.add(check["message"])
    assert hidden == set()


def _secrets(db, student):
    """Numbers, pictures and print-outs of the evidence, the key's id, other students."""
    with Grades(db) as grades:
        result = next(grades.results(student))
        found = {result.identity.key, result.identity.source, *(s.id for s in grades.students() if s.id != student)}
    found.add(result.evidence["output"].strip())
    for exercise in result.evidence["exercises"]:
        for check in exercise["checks"]:
            details = check["details"]
            found.add(details["first_mismatch"])
            heat = details["heat"] or {"expected": [], "found": []}
            numbers = [n for kind in ("expected", "found") for row in heat[kind] for n in row if n is not None]
            found |= {str(number) for number in numbers if len(str(number)) > 5}
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
     ("ungradable", "This check could not be"),
     ("skipped", "Skipped: another check"), ("passed", ""), ("failed", "This is not yet what")],
)  # fmt: skip
def test_every_verdict_has_words_of_its_own(verdict, begins):
    check = {"verdict": verdict, "message": "whatever the submission said", "mistakes": []}
    said = message({"id": "attention", "file": "attention.py"}, check)
    assert said.startswith(begins)
    assert bool(said) == bool(begins)
