"""A class as bad as it gets, for tests of reports: hostile names, ids and messages, every status, decisions by hand."""

from dataclasses import replace
from datetime import timedelta

from classes import DUE, examples, make_class
from msgspec import structs

from attention_kata.gradebook.records import Adjustment, Handed, Identity, Result, Student
from attention_kata.judge.evidence import CourseVersion, Evidence, VerdictKind
from attention_kata.judge.score import evidence_of
from attention_kata.messages.said import Place, as_text, said

MARKUP = "</script></style><script>window.owned = 1; alert(1)</script><img src=x onerror='window.owned = 1'>"
HOSTILE = f"{MARKUP} [link](javascript:alert(1)) ![image](http://example.org/x.png) ``` \x1b[31m \u202e {{{{ 7 * 7 }}}}"
LONG = "W" * 300
SMUGGLED = "tensor([[0.1234, -5.6789]])"


def hostile_result(grades, id, fault=""):
    """The stored result of `s00001` as that of another student, with hostile evidence."""
    stored = next(grades.results("s00001"))
    return replace(stored, student=id, evidence=hostile_evidence(id), fault=fault)


def hostile_evidence(student):
    """What a worker could send at worst, in the form of the evidence."""
    evidence = evidence_of(replace(examples()["blaise"][1], student=student))
    exercises = tuple(
        structs.replace(exercise, checks=tuple(_hostile(exercise, check) for check in exercise.checks))
        for exercise in evidence.exercises
    )
    return structs.replace(evidence, exercises=exercises, output=HOSTILE + SMUGGLED)


def _hostile(exercise, check):
    """A check that failed, with hostile texts wherever one can be."""
    if check.passed:
        return check
    heat = check.details.heat and structs.replace(check.details.heat, at=HOSTILE)
    check = structs.replace(check, details=structs.replace(check.details, heat=heat))
    if check.mistakes:
        return check
    text = f"ValueError in {exercise.file}, line 3: {HOSTILE} {SMUGGLED}"
    message = (
        as_text(text) if exercise.points else said("raised", error=HOSTILE, text=SMUGGLED, place=Place(HOSTILE, 3))
    )
    sayings = structs.replace(check.said, message=message)
    return structs.replace(check, verdict=VerdictKind.ERROR, message=text, said=sayings)


def make_hostile_class(path):
    """20 students of the examples' grades under odd names, and one of each other kind."""
    grades = make_class(path, 20, missing=2)
    submission, _ = examples()["blaise"]
    with grades.transaction():
        grades.set("due", DUE.isoformat())
        grades.set("late", "per-day 10% cap 50%")
        for id, name in ((HOSTILE, HOSTILE), ("../../etc/passwd", LONG)):
            grades.enrol(Student(id=id, name=name))
            grades.hand_in(id, [Handed(HOSTILE, HOSTILE, DUE, True), Handed("2", LONG, DUE + timedelta(days=1))])
            grades.add(hostile_result(grades, id), submission)
        for id, problem in (("unreadable", as_text(HOSTILE)), ("waiting", None)):
            grades.enrol(Student(id=id, name=f"The {id}", roster={}, problem=problem))
            grades.hand_in(id, [Handed("1", f"{id}.zip", DUE)])
        grades.enrol(Student(id="ungradable", name="The ungradable", roster={}))
        grades.hand_in("ungradable", [Handed("1", "u", DUE)])
        grades.add(hostile_result(grades, "ungradable", HOSTILE), submission)
        grades.adjust(
            Adjustment(
                student="s00001",
                exercise="attention",
                check="masked",
                points=3.0,
                comment="half of it is right",
                automatic=1.0,
                made_at=DUE,
            )
        )
        grades.adjust(Adjustment(student="s00002", points=90.0, comment=HOSTILE, automatic=24.5, made_at=DUE))
    return grades


def result(student, exercises):
    """A result with nothing in it but exercises."""
    total = sum(e.points for e in exercises)
    most = sum(e.max_points for e in exercises)
    evidence = Evidence(
        schema=2, course=CourseVersion("c", "1"), student=student, points=total, max_points=most,
        exercises=tuple(exercises), output="", isolation={},
    )  # fmt: skip
    return Result(
        student=student,
        identity=Identity("", "k", "1", "{}"),
        handed_in=DUE,
        graded_at=DUE,
        seconds=1.0,
        torch="2",
        grader="0",
        points=total,
        max_points=most,
        fault="",
        evidence=evidence,
    )
