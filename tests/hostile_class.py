"""A class as bad as it gets, for tests of reports: hostile names, ids and messages, every status, decisions by hand."""

import json
from dataclasses import replace
from datetime import timedelta

from classes import DUE, examples, make_class

from attention_kata.gradebook.records import Adjustment, Handed, Identity, Result, Student
from attention_kata.judge.score import as_json

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
    evidence = json.loads(json.dumps(as_json(replace(examples()["blaise"][1], student=student))))
    for exercise in evidence["exercises"]:
        for check in exercise["checks"]:
            if check["verdict"] == "passed":
                continue
            if check["details"]["heat"]:
                check["details"]["heat"]["at"] = HOSTILE
            if not check["mistakes"]:
                check["verdict"] = "error"
                check["message"] = f"ValueError in {exercise['file']}, line 3: {HOSTILE} {SMUGGLED}"
    evidence["output"] = HOSTILE + SMUGGLED
    return evidence


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
        for id, problem in (("unreadable", HOSTILE), ("waiting", "")):
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
    total = sum(e["points"] for e in exercises)
    most = sum(e["max_points"] for e in exercises)
    evidence = {"exercises": exercises, "isolation": {}}
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
