"""A database of version 0.1.0 goes on: it opens, and gives the points that 0.1.0 itself exported from it.

data/grades-0.1.0.db was made by `kata` 0.1.0, of a course of the topic `heads` alone: a roster of seven, two runs of
`kata grade` (ada handed in again in between), `kata due` with an extension for grace, `kata adjust` of a check of
blaise.  ada and kurt, who has a notebook, are right; emmy makes known mistakes and is late; blaise's code raises and
that of grace never ends; what alan handed in cannot be read, and zoe handed in nothing.  The files beside it are what
its `kata export csv`, `checks` and `json` wrote.
"""

import csv
import io
import json
import os
import shutil
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import pytest
from conftest import EXERCISES, ROOT, kata, right, write
from msgspec import structs

from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.standing import standings
from attention_kata.key.file import torch_version
from attention_kata.messages.render import INSTRUCTOR, render

DATA = ROOT / "tests" / "data"
OLD = DATA / "grades-0.1.0.db"
STUDENTS = ["ada", "alan", "blaise", "emmy", "grace", "kurt", "zoe"]
COUNTS = {"ada": 15.0, "blaise": 9.0, "emmy": 4.0, "grace": 8.0, "kurt": 15.0}
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Heads (77)
Points Possible,,,,,15
"Lovelace, Ada",1001,,,A,{ada}
"Noether, Emmy",,emmy,,A,{emmy}
"Pascal, Blaise",,,blaise@example.org,A,{blaise}
"GO\u0308DEL, kurt",,,,A,{kurt}
Grace Hopper,,,,A,{grace}
"Turing, Alan",1006,,,A,
"A\u030angstro\u0308m, Zoe\u0308",1007,,,A,
"""


@pytest.fixture
def folder(tmp_path):
    shutil.copy(OLD, tmp_path / "grades.db")
    return tmp_path


@pytest.fixture
def same_torch():
    """Only with the torch that drew its key can a database be graded on."""
    with closing(sqlite3.connect(f"file:{OLD}?mode=ro&immutable=1", uri=True)) as database:
        [(drawn,)] = database.execute("SELECT torch FROM keys")
    if drawn.split("+")[0] != torch_version().split("+")[0]:
        assert not os.environ.get("CI"), f"this needs a database whose key was drawn with torch {torch_version()}"
        pytest.skip(f"the key was drawn with torch {drawn}")


def content(path):
    """All that a database says."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
        return [*database.iterdump(), database.execute("PRAGMA user_version").fetchone()]


def exported(folder, name, *args):
    run = kata("export", name, "--out", "-", *args, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout


def table(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_everybody_stands_where_they_stood(folder):
    with Grades(folder / "grades.db") as grades:
        rows = list(standings(grades))
    assert [row.id for row in rows] == STUDENTS
    assert {row.id: row.points for row in rows if row.points is not None} == COUNTS
    assert {row.id: row.status for row in rows if row.status != "graded"} == {"alan": "unreadable", "zoe": "missing"}
    alan = next(row for row in rows if row.id == "alan")
    assert render(alan.student.problem, INSTRUCTOR) == "class/alan holds none of heads.py"
    emmy = next(row for row in rows if row.id == "emmy")
    assert (emmy.automatic, emmy.penalty, emmy.seconds_late) == (5.0, 0.2, 118860.0)


@pytest.mark.parametrize("name", ["csv", "checks"])
def test_tables_say_what_they_said(folder, name):
    """All but messages, which may be worded better."""
    expected = (DATA / f"grades-0.1.0{'' if name == 'csv' else '-checks'}.csv").read_text(encoding="utf-8")
    before, after = table(expected), table(exported(folder, name))
    assert [{column: row[column] for column in old if column != "message"}
            for old, row in zip(before, after, strict=True)] == [
        {column: text for column, text in old.items() if column != "message"} for old in before
    ]  # fmt: skip


def test_json_says_what_it_said(folder):
    def facts(text):
        return [
            (
                each["student"],
                each.get("points"),
                each["grade"],
                [
                    (
                        exercise["id"],
                        exercise["points"],
                        check["id"],
                        check["verdict"],
                        check["points"],
                        check["mistakes"],
                    )
                    for exercise in each.get("exercises", [])
                    for check in exercise["checks"]
                ],
            )
            for each in json.loads(text)["submissions"]
        ]

    before = facts((DATA / "grades-0.1.0.json").read_text(encoding="utf-8"))
    assert len(before) == len(STUDENTS)
    assert facts(exported(folder, "json")) == before


def test_canvas_is_filled_in_by_every_mark_that_a_roster_has(folder):
    blank = CANVAS.format(**dict.fromkeys(COUNTS, ""))
    (folder / "canvas.csv").write_text(blank, encoding="utf-8")
    filled = exported(folder, "canvas", "--into", "canvas.csv", "--column", "Heads")
    assert filled == CANVAS.format(**{student: f"{points:g}" for student, points in COUNTS.items()})


def test_report_and_feedback_are_made_of_it(folder):
    assert kata("report", "--out", "report.html", cwd=folder).returncode == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    names = (
        "Ada Lovelace",
        "Alan Turing",
        "Blaise Pascal",
        "Emmy Noether",
        "Grace Hopper",
        "Kurt Gödel",
        "Zoë Ångström",
    )
    assert [name for name in names if name not in page] == []
    assert "Your heads cut up the sequence" in page
    made = kata("feedback", "--out", "feedback", cwd=folder)
    assert made.returncode == 0, made.stderr
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "feedback").glob("*.html")}
    assert [student for student in STUDENTS if not any(stem.startswith(student) for stem in pages)] == []
    blaise, emmy = (next(text for stem, text in pages.items() if stem.startswith(id)) for id in ("blaise", "emmy"))
    assert "The idea is right; the name of the method is not." in blaise
    assert "Your heads cut up the sequence" in emmy


def test_whoever_only_reads_it_changes_nothing(folder):
    before = content(OLD)
    for name in ("csv", "checks", "json"):
        exported(folder, name)
    assert kata("report", "--out", "report.html", cwd=folder).returncode == 0
    assert content(folder / "grades.db") == before


def test_graded_again_it_says_the_same_except_where_something_was_wrong(same_torch, folder):
    with Grades(folder / "grades.db") as grades:
        [kurt] = grades.results("kurt")
        exercises = tuple(structs.replace(exercise, points=1.0) for exercise in kurt.evidence.exercises)
        wrong = replace(kurt, points=2.0, evidence=structs.replace(kurt.evidence, exercises=exercises))
        grades.add(wrong, grades.submission(kurt.identity.source, "kurt"))
    before = content(folder / "grades.db")
    run = kata("regrade", *(f"--student={name}" for name in ("ada", "blaise", "emmy", "kurt")), cwd=folder)
    assert run.returncode == 0, run.stderr
    [line] = (line for line in run.stdout.splitlines() if line.startswith("kurt"))
    assert line.split(maxsplit=4)[:4] == ["kurt", "2", "15", "+13"]
    assert run.stdout.splitlines()[-1] == "1 of 4 change. Nothing was kept: --commit keeps it."
    assert content(folder / "grades.db") == before


def test_the_class_is_graded_on(same_torch, folder):
    with Grades(folder / "grades.db") as grades, closing(sqlite3.connect(folder / "grades.db")) as database:
        [(key,)] = database.execute("SELECT data FROM keys")
        [ada] = grades.results("ada")
        own = grades.submission(ada.identity.source, "ada").files
    files = {f"class/ada/{name}": text for name, text in own.items()}
    files |= {"class/Zoe\u0308 A\u030angstro\u0308m/heads.py": right("heads"), "class/alan/heads.py": right("heads")}
    files |= {"course/exercises/heads.py": (EXERCISES / "heads.py").read_text(encoding="utf-8")}
    write(folder, {**files, "course/public.key.safetensors": zlib.decompress(key)})
    run = kata("grade", "class", "--course", "course", "--seconds", "2", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "7 graded." in run.stdout
    assert "1 were graded before and have not changed." in run.stdout
    points = {row["student_id"]: row["points"] for row in table(exported(folder, "csv"))}
    assert points == {**{student: f"{got:g}" for student, got in COUNTS.items()}, "alan": "15", "zoe": "15"}
