"""The database of a class, and the standings made from it."""

import json
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest
from classes import DUE, ODD_NAMES, examples, make_class
from conftest import kata
from msgspec import structs

from attention_kata.gradebook.database import BadGrades
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Adjustment, Handed, Identity, Result, Student, now
from attention_kata.gradebook.standing import standings
from attention_kata.intake.packing import file_hash
from attention_kata.intake.submission import Submission
from attention_kata.judge.score import evidence_of
from attention_kata.messages.render import INSTRUCTOR, render
from attention_kata.messages.said import as_text, said

LATER_INSIDE = msgspec.to_builtins(said("reasons", reasons=(said("no-code"), said("of-a-later-release"))))
SURROGATE = "caf\udce9"  # a folder's name that is not UTF-8


@pytest.fixture
def grades(tmp_path):
    with make_class(tmp_path / "grades.db") as made:
        yield made


def result_of(grades, student):
    return next(grades.results(student))


def standing_of(grades, student):
    return next(row for row in standings(grades) if row.id == student)


def test_everybody_is_in_and_nothing_is_lost_on_the_way(grades):
    rows = list(standings(grades))
    assert [row.name for row in rows[:12]] == list(ODD_NAMES[:12])
    assert [row.status for row in rows] == ["graded"] * 12 + ["missing"]
    submission, graded = examples()["ada"]
    assert rows[0].result.evidence.exercises == evidence_of(graded).exercises
    assert grades.submission(rows[0].result.identity.source, "ada").files == submission.files


def test_missing_is_never_zero(grades):
    zero, missing = standing_of(grades, "s00004"), standing_of(grades, "s00012")
    assert (zero.points, zero.status) == (0.0, "graded")
    assert (missing.points, missing.automatic, missing.status) == (None, None, "missing")


def test_an_unreadable_and_an_ungradable_submission_have_no_grade(grades):
    grades.enrol(Student(id="s00001", name="x", problem=as_text("it is not a zip")))
    before = result_of(grades, "s00002")
    grades.add(replace(before, points=0.0, max_points=0.0, fault="the engine died"), Submission("", {}))
    grades.hand_in("s00012", [Handed("1", "late.zip")])
    for student, status in (("s00001", "unreadable"), ("s00002", "ungradable"), ("s00012", "waiting")):
        row = standing_of(grades, student)
        assert (row.status, row.points, row.max_points) == (status, None, 100.0)


@pytest.mark.parametrize(
    "problem", [said("holds-none", shown=SURROGATE, files=("a.py",)), said("reasons", reasons=(said("no-code"),))]
)
def test_why_nothing_could_be_read_is_kept_as_data_and_as_text(grades, problem):
    grades.unreadable("s00001", problem)
    grades.enrol(Student(id="s2", problem=problem))
    assert (standing_of(grades, "s00001").student.problem, standing_of(grades, "s2").student.problem) == (problem,) * 2
    [(kept,)] = grades._rows("SELECT problem FROM students WHERE id = 's2'")
    assert json.loads(kept)["text"] == render(problem, INSTRUCTOR)


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        ("class/ada holds none of a.py", "class/ada holds none of a.py"),  # of release 0.1.0, and what it might be
        ("12", "12"),
        ('{"said": "x"}', '{"said": "x"}'),
        ("[" * 10_000, "[" * 10_000),
        ('{"text": "it is odd", "said": {"is": "said", "template": "of-a-later-release"}}', "it is odd"),
        (json.dumps({"text": "it is odd", "said": LATER_INSIDE}), "it is odd"),
        ("", ""),
    ],
)
def test_a_problem_that_is_not_known_as_data_is_shown_as_its_text(grades, kept, text):
    grades._write("UPDATE students SET problem = ? WHERE id = 's00001'", kept)
    row = standing_of(grades, "s00001")
    assert render(row.student.problem, INSTRUCTOR) == text
    assert (row.status == "unreadable") == bool(text)


def test_names_and_ids_that_utf8_cannot_hold(tmp_path):
    with Grades(tmp_path / "grades.db", create=True) as grades:
        for id in (SURROGATE, "\ud800", "a", "Ä", "A\u0308", "ä", "'; DROP TABLE students; --", "\x00nul", "日本"):
            grades.enrol(Student(id=id, name=id, email=id))
            grades.hand_in(id, [Handed(id, id)])
        ids = [student.id for student in grades.students()]
        assert len(ids) == 9
        assert set(grades.attempts()) == set(ids)
        assert all(row.id == row.student.name == row.attempts[0].origin for row in standings(grades))
        assert len(list(standings(grades))) == 9


def test_results_are_matched_to_students_whatever_the_order_of_ids(tmp_path):
    ids = ["b", SURROGATE, "ü", "Z", "\ud800", "é", "z", "0", "e\u0301"]
    with make_class(tmp_path / "grades.db", 1, missing=0) as grades:
        template = result_of(grades, "s00000")
        for number, id in enumerate(ids):
            grades.enrol(Student(id=id))
            grades.hand_in(id, [Handed("", id)])
            evidence = structs.replace(template.evidence, exercises=(), student=id)
            grades.add(replace(template, student=id, points=float(number), evidence=evidence), Submission("", {}))
        rows = {row.id: row for row in standings(grades)}
        assert {id: rows[id].automatic for id in ids} == {id: float(number) for number, id in enumerate(ids)}


def test_a_result_is_taken_again_only_for_the_same_files_key_course_and_limits(grades):
    identity = result_of(grades, "s00000").identity
    assert grades.take("s00000", identity, DUE)
    for field in ("source", "key", "version", "limits"):
        assert not grades.take("s00000", replace(identity, **{field: "other"}), DUE)
    assert not grades.take("s00001", identity, DUE)


def test_handing_in_the_first_version_again_makes_it_count_again(grades):
    first = result_of(grades, "s00000")
    other = replace(first, points=1.0, identity=replace(first.identity, source="0" * 64))
    grades.add(other, Submission("", {"attention.py": "x"}))
    assert result_of(grades, "s00000").points == 1.0
    later = DUE + timedelta(days=1)
    assert grades.take("s00000", first.identity, later)
    counts = result_of(grades, "s00000")
    assert (counts.points, counts.handed_in) == (first.points, later)
    assert len(list(grades.results("s00000", history=True))) == 2


def test_what_was_graded_again_with_another_key_is_not_undone_by_grading_the_class_again(grades):
    first = result_of(grades, "s00000")
    submission = grades.submission(first.identity.source, "")
    grades.add(replace(first, points=99.0, identity=replace(first.identity, key="repaired")), submission)
    assert grades.take("s00000", first.identity, first.handed_in)
    assert result_of(grades, "s00000").points == 99.0


def test_after_an_unreadable_one_an_earlier_good_one_does_not_count(grades):
    row = standing_of(grades, "s00001")
    later = DUE + timedelta(days=1)
    grades.hand_in("s00001", [*row.attempts, Handed("2", "s00001/2", later)])
    assert standing_of(grades, "s00001").status == "waiting"
    grades.enrol(replace(row.student, problem=as_text("it is not a zip")))
    now = standing_of(grades, "s00001")
    assert (now.status, now.points, now.handed_in) == ("unreadable", None, later)
    assert "s00001" not in [result.student for result in grades.results()]
    grades.enrol(row.student)
    assert grades.take("s00001", row.result.identity, later)  # the first files, handed in once more
    assert standing_of(grades, "s00001").points == row.points


def test_handing_in_the_same_again_leaves_what_counts(grades):
    row = standing_of(grades, "s00001")
    grades.hand_in("s00001", row.attempts)
    assert standing_of(grades, "s00001") == row


def test_somebody_who_is_renamed_keeps_everything(grades):
    before = standing_of(grades, "s00001")
    grades.extend("s00001", 60.0)
    grades.adjust(Adjustment(student="s00001", points=80.0, comment="well argued", automatic=25, made_at=now()))
    grades.enrol(Student(id="m1", name="Ada"))
    grades.rename("s00001", "m1")
    after = standing_of(grades, "m1")
    assert (after.points, after.automatic, after.attempts) == (80.0, before.automatic, before.attempts)
    assert (after.student.extension, after.result.evidence.student) == (60.0, "m1")
    assert "s00001" not in [row.id for row in standings(grades)]


def test_of_two_who_are_one_the_result_that_was_there_counts(grades):
    before = standing_of(grades, "s00002")
    grades.rename("s00001", "s00002")
    assert standing_of(grades, "s00002") == before
    assert len(list(grades.results("s00002"))) == 1
    assert len(list(grades.results("s00002", history=True))) == 2


def test_an_ungradable_result_is_not_taken_for_graded(grades):
    first = result_of(grades, "s00000")
    identity = replace(first.identity, source="1" * 64)
    grades.add(replace(first, identity=identity, fault="no worker"), Submission("", {}))
    assert not grades.take("s00000", identity, DUE)


def test_pending_results_count_only_once_settled(grades):
    first = result_of(grades, "s00000")
    better = replace(first, points=99.0, identity=replace(first.identity, key="new"))
    submission = grades.submission(first.identity.source, "")
    grades.add(better, submission, pending=True)
    assert result_of(grades, "s00000") == first
    assert not grades.take("s00000", better.identity, DUE)
    grades.settle(keep=False)
    assert list(grades.results("s00000", history=True)) == [first]
    grades.add(better, submission, pending=True)
    grades.settle(keep=True)
    assert result_of(grades, "s00000").points == 99.0
    assert result_of(grades, "s00001").points == 25
    assert len(list(grades.results("s00000", history=True))) == 2


# ---------------------------------------------------------------------- several threads


class Undone(Exception):
    pass


def test_what_another_thread_writes_meanwhile_is_not_undone_with_a_transaction(grades):
    began = threading.Event()

    def write():
        began.set()
        grades.set("theirs", 2)

    other = threading.Thread(target=write)
    with suppress(Undone), grades.transaction():
        grades.set("ours", 1)
        other.start()
        began.wait()
        other.join(0.5)  # it has all the time that it needs, unless it waits for us
        raise Undone
    other.join()
    assert (grades.setting("ours"), grades.setting("theirs")) == (None, 2)


def test_another_thread_reads_nothing_that_is_not_decided_yet(grades):
    read, began = [], threading.Event()

    def look():
        began.set()
        read.append(grades.setting("ours"))

    other = threading.Thread(target=look)
    with suppress(Undone), grades.transaction():
        grades.set("ours", 1)
        other.start()
        began.wait()
        other.join(0.5)
        raise Undone
    other.join()
    assert read == [None]


def test_rows_read_slowly_keep_no_other_thread_waiting(grades):
    rows = grades.students()
    next(rows)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(grades.set, "theirs", 2).result(timeout=60)
    assert (grades.setting("theirs"), len(list(rows))) == (2, 12)


def test_many_threads_lose_nothing_of_what_they_did_not_take_back(grades):
    """Each adds results, takes attempts, and now and then takes all of that back."""
    [template] = grades.results("s00000")
    submission = grades.submission(template.identity.source, "")

    def one(i):
        student = f"t{i:03}"
        own = replace(template, student=student, points=float(i))
        try:
            with grades.transaction():
                grades.enrol(Student(id=student))
                grades.hand_in(student, [Handed("1", student)])
                grades.add(own, submission)
                assert grades.take(student, own.identity, DUE)
                if i % 3 == 0:
                    raise Undone
        except Undone:
            return
        grades.set(student, [row.points for row in grades.results(student)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(60)))
    kept = [i for i in range(60) if i % 3]
    assert [(row.id, row.automatic) for row in standings(grades) if row.id[0] == "t"] == [(f"t{i:03}", i) for i in kept]
    assert [grades.setting(f"t{i:03}") for i in kept] == [[float(i)] for i in kept]
    assert [grades.setting(f"t{i:03}") for i in range(0, 60, 3)] == [None] * 20


# ---------------------------------------------------------------------- by hand, and late


def test_a_score_by_hand_for_a_check_and_for_all(grades):
    grades.adjust(
        Adjustment(
            student="s00001",
            exercise="softmax",
            check="values",
            points=0.5,
            comment="well argued",
            automatic=1.0,
            made_at=now(),
        )
    )
    row = standing_of(grades, "s00001")
    assert (row.automatic, row.before_late, row.points) == (25.0, 24.5, 24.5)
    assert [a.comment for a in row.comments] == ["well argued"]
    grades.adjust(Adjustment(student="s00001", points=80.0, automatic=25, made_at=now()))
    assert standing_of(grades, "s00001").points == 80.0
    grades.adjust(Adjustment(student="s00001", made_at=now()))
    assert standing_of(grades, "s00001").points == 24.5


def test_a_score_by_hand_survives_and_is_flagged_when_the_automatic_one_changes(grades):
    grades.adjust(Adjustment(student="s00001", points=80.0, automatic=25, made_at=now()))
    assert standing_of(grades, "s00001").outdated == []
    before = result_of(grades, "s00001")
    grades.add(replace(before, points=30.0), Submission("", {}))
    row = standing_of(grades, "s00001")
    assert row.points == 80.0
    assert [a.points for a in row.outdated] == [80.0]


def test_somebody_who_handed_in_nothing_can_be_given_points(grades):
    grades.adjust(Adjustment(student="s00012", points=40.0, comment="orally", made_at=now()))
    row = standing_of(grades, "s00012")
    assert (row.status, row.points, row.outdated) == ("missing", 40.0, [])
    template = result_of(grades, "s00000")
    grades.hand_in("s00012", [Handed("1", "late.zip")])
    grades.add(replace(template, student="s00012"), Submission("", {}))
    row = standing_of(grades, "s00012")  # who hands in after all
    assert (row.points, row.automatic, [a.points for a in row.outdated]) == (40.0, 70.0, [40.0])


def test_lateness_is_taken_off_from_what_is_stored(grades):
    grades.set("due", DUE.isoformat())
    grades.set("late", "per-day 10% cap 50%")
    in_time, late = standing_of(grades, "s00000"), standing_of(grades, "s00010")  # 6 hours early, 4 late
    assert (in_time.penalty, in_time.points) == (0.0, 70.0)
    assert (late.penalty, late.points, late.before_late) == (0.1, 63.0, 70.0)
    grades.extend("s00010", 4 * 3600.0)
    assert standing_of(grades, "s00010").points == 70.0
    grades.enrol(Student(id="s00010", name="renamed"))
    assert standing_of(grades, "s00010").points == 70.0  # an extension outlives grading again


# ---------------------------------------------------------------------- what goes wrong


def test_only_one_program_grades_at_a_time(grades):
    other = Grades(grades.path)
    with grades.held():
        with pytest.raises(BadGrades, match=r"in use by process \d+ on .* since"), other.held():
            pass
        assert len(list(standings(other))) == 13  # reading goes on
    with other.held():
        pass
    other.close()


def test_whoever_is_killed_holds_nothing(grades):
    code = (
        f"import sys,os; sys.path.insert(0, {str(grades.path.parent)!r})\n"
        "from pathlib import Path\nfrom attention_kata.gradebook.grades import Grades\n"
        f"g = Grades(Path({str(grades.path)!r}))\n"
        "with g.held():\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(BadGrades), grades.held():
        pass
    holder.kill()
    holder.wait()
    with grades.held():
        pass


@pytest.mark.parametrize("content", [b"not a database, but long enough to be looked at" * 50, b"x"])
def test_another_file_is_no_database(tmp_path, content):
    (tmp_path / "grades.db").write_bytes(content)
    with pytest.raises(BadGrades, match="--db"):
        Grades(tmp_path / "grades.db", create=True)
    assert (tmp_path / "grades.db").read_bytes() == content


def test_a_database_of_somebody_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "grades.db") as other:
        other.execute("CREATE TABLE mine (x)")
    before = (tmp_path / "grades.db").read_bytes()
    with pytest.raises(BadGrades, match="--db"):
        Grades(tmp_path / "grades.db", create=True)
    assert (tmp_path / "grades.db").read_bytes() == before


def test_whoever_is_killed_before_there_are_tables_leaves_a_database_that_can_be_used(tmp_path):
    with closing(sqlite3.connect(tmp_path / "grades.db")) as begun:
        begun.execute("PRAGMA journal_mode = WAL")  # writes a first page, and no table
    with Grades(tmp_path / "grades.db", create=True) as grades:
        assert list(grades.students()) == []


def test_nothing_is_changed_in_a_database_of_somebody_else(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
    before = path.read_bytes()
    with pytest.raises(BadGrades, match="is not a grade database"):
        Grades(path, create=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_rows_that_nobody_reads_to_their_end_may_outlive_the_database(grades):
    rows = grades.students()
    next(rows)
    grades.close()
    rows.close()


def test_a_missing_folder_is_called_so(tmp_path):
    with pytest.raises(BadGrades, match="no is not a folder: create it first"):
        Grades(tmp_path / "no" / "grades.db", create=True)


def test_a_missing_database_is_said_with_what_makes_it(tmp_path):
    with pytest.raises(BadGrades, match="kata grade PATH"):
        Grades(tmp_path / "grades.db")
    assert not (tmp_path / "grades.db").exists()


def test_a_locked_database_is_one_clear_line(grades, monkeypatch):
    grades._db.execute("PRAGMA busy_timeout = 50")
    with sqlite3.connect(grades.path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BadGrades, match="another program is writing to it"):
            grades.set("due", None)
        other.execute("ROLLBACK")
    grades.set("due", None)


def test_a_full_disk_loses_nothing(grades):
    before = result_of(grades, "s00000")
    grades._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = grades._db.execute("PRAGMA page_count").fetchone()[0]
    grades._db.execute(f"PRAGMA max_page_count = {pages + 1}")
    evidence = structs.replace(before.evidence, output="".join(f"{i}\u1234" for i in range(200_000)))
    too_large = replace(before, evidence=evidence)
    with pytest.raises(BadGrades, match=r"full.*Make room.*what was graded is kept"):
        grades.add(too_large, Submission("", {"a.py": "1"}))
    grades._db.execute("PRAGMA max_page_count = 1000000")
    assert standing_of(grades, "s00001").points == 25
    grades.add(replace(before, points=5.0), Submission("", {}))
    assert result_of(grades, "s00000").points == 5.0


# ---------------------------------------------------------------------- kata adjust, kata due


def test_adjust_shows_and_decides(tmp_path):
    make_class(tmp_path / "grades.db").close()
    done = kata(
        "adjust", "s00001", "--check", "softmax/values", "--points", "0.5", "--comment", "well argued", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "24.5 of 100 points" in done.stdout
    assert "softmax/values: 0.5 points instead of 1 – well argued" in done.stdout
    assert "25 of 100" in kata("adjust", "s00001", "--check", "softmax/values", "--clear", cwd=tmp_path).stdout


def test_a_comment_by_hand_leaves_the_score_and_a_score_the_comment(tmp_path):
    make_class(tmp_path / "grades.db", 2).close()
    for given in (("--points", "50"), ("--comment", "orally"), ("--points", "60")):
        done = kata("adjust", "s00001", *given, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "the submission: 60 points instead of 25 – orally" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody",), "has no student 'nobody'"),
        (("s0001", "--points", "1"), "Did you mean 's000"),
        (("s00001", "--check", "softmax/valus", "--points", "1"), "Did you mean 'softmax/values'?"),
        (("s00001", "--points", "101"), "between 0 and 100"),
        (("s00001", "--points", "nan"), "between 0 and 100"),
        (("s00001", "--points", "-1"), "between 0 and 100"),
        (("s00001", "--check", "softmax/values", "--points", "9"), "between 0 and 1 "),
        (("s00001", "--clear", "--points", "9"), "do not give --points"),
    ],
)
def test_adjust_says_what_is_wrong(tmp_path, arguments, said):
    make_class(tmp_path / "grades.db", 2).close()
    done = kata("adjust", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_due_sets_shows_and_recomputes(tmp_path):
    make_class(tmp_path / "grades.db").close()
    done = kata("due", "2026-12-01 23:59Z", "--late", "per-day 10%", "--extend", "s00011", "2d", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Due: 2026-12-01 23:59 UTC\nLate policy: per-day 10%\n  s00011: 48 h more\n"
    assert "63 of 100" in kata("adjust", "s00010", cwd=tmp_path).stdout
    assert "Due: never" in kata("due", "--never", cwd=tmp_path).stdout
    assert "70 of 100" in kata("adjust", "s00010", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("soon",), "is not a date"),
        (("--late", "harsh"), "is not a late policy"),
        (("--extend", "s00001", "long"), "is not a span"),
        (("--extend", "nobody", "2d"), "has no student"),
        (("2026-12-01", "--never"), "not both"),
    ],
)
def test_due_says_what_is_wrong_and_changes_nothing(tmp_path, arguments, said):
    make_class(tmp_path / "grades.db", 2).close()
    done = kata("due", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert kata("due", cwd=tmp_path).stdout == "Due: never\nLate policy: none\n"


def test_identity_and_result_are_values():
    identity = Identity("a", "b", "c", "d")
    assert identity == replace(identity)
    assert Result.__dataclass_params__.frozen
    assert file_hash(Submission("x", {"a.py": "1"})) == file_hash(Submission("y", {"a.py": "1"}))
    assert file_hash(Submission("x", {"a.py": "1"})) != file_hash(Submission("x", {"a.py": "2"}))
