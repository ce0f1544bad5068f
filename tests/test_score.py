"""Verdicts as points and as evidence: nothing is lost on the way, and every line is one that the learner has."""

import pytest
from judged import asking, drawn, exercise, numbers

from attention_kata.intake.submission import CellMap
from attention_kata.judge.diagnose import Verdict
from attention_kata.judge.evidence import (
    CheckEvidence,
    CourseVersion,
    Details,
    Evidence,
    ExerciseEvidence,
    Heat,
    Sayings,
    VerdictKind,
)
from attention_kata.judge.recognise import Confidence
from attention_kata.judge.score import ExerciseGrade, Grade, evidence_of
from attention_kata.key.model import AnswerKey
from attention_kata.messages.render import Voice
from attention_kata.messages.said import Place, said
from attention_kata.messages.templates import Audience

CHECKS = (asking("shape", "a", points=1, category="shape"), asking("values", "a", points=2))
ITS = exercise([drawn("a", numbers(2))], CHECKS, points=4)
KEY = AnswerKey("course", "A course", "7", "2.6", None, (ITS,), {})
HEAT = Heat(name="result", rows="T", columns="S", at="", expected=[[1.0]], found=[[2.0]])
PASSED = Verdict(check=CHECKS[0], verdict=VerdictKind.PASSED, seconds=0.25)
WRONG = Verdict(
    check=CHECKS[1],
    verdict=VerdictKind.FAILED,
    mistakes=("one",),
    confidence=Confidence.EXACT,
    message=said("factor", number="2"),
    hint=said("hint-formula"),
    evidence=said("first-mismatch", result="result", where="T 0", expected="1", found="2", differing=1, total=2),
    shape=said("shapes", result="result", found_shape="(2,)", expected_shape="(2,)"),
    heat=HEAT,
    already_right=("the axis",),
    seconds=0.5,
)


def evidence(*verdicts, voice=None, line=5, notebook=None, **facts):
    grade = Grade(key=KEY, exercises=(ExerciseGrade(ITS, verdicts, line, notebook),), **facts)
    return evidence_of(grade) if voice is None else evidence_of(grade, voice)


def check_of(verdict, **facts):
    return evidence(verdict, **facts).exercises[0].checks[0]


def test_points_are_those_of_the_checks_that_passed():
    graded = ExerciseGrade(ITS, (PASSED, WRONG))
    grade = Grade(key=KEY, exercises=(graded, graded))
    assert (graded.points, grade.points, grade.max_points) == (1, 2, 8)
    assert type(grade.max_points) is float
    assert (graded.line, graded.notebook) == (None, None)
    assert (grade.student, grade.output, grade.isolation, grade.fault) == (None, "", None, "")


def test_evidence_has_everything_that_a_verdict_has():
    assert evidence(PASSED, WRONG, student="ada", output="hi", isolation={"files": "on"}, fault="ours") == Evidence(
        schema=2,
        course=CourseVersion("course", "7"),
        student="ada",
        points=1,
        max_points=4.0,
        output="hi",
        isolation={"files": "on"},
        fault="ours",
        exercises=(
            ExerciseEvidence(
                id="thing",
                file="topic.py",
                points=1,
                max_points=4.0,
                not_started=False,
                checks=(
                    CheckEvidence(
                        id="shape",
                        category="shape",
                        title="the shape",
                        verdict="passed",
                        points=1.0,
                        max_points=1.0,
                        mistakes=(),
                        confidence="",
                        message="",
                        hint="",
                        details=Details(),
                        learner_line=None,
                        seconds=0.25,
                    ),
                    CheckEvidence(
                        id="values",
                        category="values",
                        title="the values",
                        verdict="failed",
                        points=0.0,
                        max_points=2.0,
                        mistakes=("one",),
                        confidence="exact",
                        message="Every number is 2 times what it should be.",
                        hint="Look for the step that does this, and ask whether the formula has it.",
                        details=Details(
                            first_mismatch="result at T 0: expected 1, found 2 (1 of 2 differ)",
                            shape="result has shape (2,); expected (2,)",
                            heat=HEAT,
                        ),
                        learner_line=5,
                        already_right=("the axis",),
                        seconds=0.5,
                        said=Sayings(
                            message=WRONG.message, hint=WRONG.hint, first_mismatch=WRONG.evidence, shape=WRONG.shape
                        ),
                    ),
                ),
            ),
        ),
    )
    assert evidence(PASSED).isolation == {}
    assert type(evidence(PASSED).exercises[0].max_points) is float


def test_texts_are_those_for_the_reader():
    public = check_of(WRONG, voice=Voice(Audience.PUBLIC))
    assert public.message == "Every number is off by the same factor."
    assert (public.details.first_mismatch, public.details.shape) == ("", "")
    assert public.said.message == WRONG.message


def test_an_exercise_that_was_not_started_says_so():
    stub = Verdict(check=CHECKS[0], verdict=VerdictKind.FAILED, not_started=True)
    assert evidence(stub, WRONG).exercises[0].not_started


# ---------------------------------------------------------------------- lines and cells


def at(file, line):
    return Verdict(check=CHECKS[0], verdict=VerdictKind.ERROR, file=file, line=line)


@pytest.mark.parametrize(
    ("verdict", "line", "elsewhere"),
    [
        (at("topic.py", 9), 9, None),
        (at("topic.py", None), 5, None),
        (at(None, None), 5, None),
        (at("lib.py", 9), 5, Place("lib.py", 9)),
        (at("lib.py", None), 5, None),
        (at(None, 9), 5, None),
        (PASSED, None, None),
    ],
)
def test_a_check_points_to_the_line_that_raised_or_to_where_the_exercise_begins(verdict, line, elsewhere):
    found = check_of(verdict)
    assert (found.learner_line, found.learner_cell, found.elsewhere) == (line, None, elsewhere)
    assert check_of(verdict, line=None).learner_line == (verdict.line if verdict.file == "topic.py" else None)


CELLS = CellMap(((2, 1), (2, 2), (4, 1), (4, 2), (4, 3), (4, 4)))


def test_lines_of_a_notebook_are_told_by_their_cells():
    raised = said("raised", error="ValueError", place=Place("topic.py", 4), text="bad")
    inner = said("should-raise", expected_error="ValueError", inner=raised)
    verdict = Verdict(
        check=CHECKS[0],
        verdict=VerdictKind.ERROR,
        message=inner,
        evidence=raised,
        shape=raised,
        file="topic.py",
        line=3,
    )
    found = check_of(verdict, notebook=CELLS)
    here = Place("topic.py", 2, 4)
    assert (found.learner_cell, found.learner_line) == (4, 1)
    assert found.said.message.slots["inner"].slots["place"] == here
    assert found.said.first_mismatch.slots["place"] == found.said.shape.slots["place"] == here
    assert "cell 4, line 2" in found.message
    assert check_of(verdict).said.message == inner


@pytest.mark.parametrize("place", [Place("lib.py", 4), Place("topic.py")])
def test_places_elsewhere_stay_as_they_are(place):
    message = said("raised", error="ValueError", place=place)
    verdict = Verdict(check=CHECKS[0], verdict=VerdictKind.ERROR, message=message)
    found = check_of(verdict, notebook=CELLS)
    assert found.said.message == message
    assert (found.learner_cell, found.learner_line) == (4, 3)  # where the exercise begins
    assert check_of(verdict, notebook=CELLS, line=None).learner_cell is None
    assert check_of(PASSED, notebook=CELLS).said is None
