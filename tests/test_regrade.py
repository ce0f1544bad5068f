"""Grading again what a database holds, in process: what would change, and what is kept of it."""

from dataclasses import replace

import pytest
from conftest import write
from msgspec import structs

from attention_kata.gradebook.batch import Watch, Work, grade_class
from attention_kata.gradebook.enrol import assign, enrol
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Adjustment, now
from attention_kata.gradebook.regrade import grade_again, keep, plan
from attention_kata.gradebook.standing import standings
from attention_kata.intake import find_submissions
from attention_kata.key.file import load_key
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.zygote import confined_workers

DOUBLE = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x\n"
TWICE = "def twice(x):\n    return 2 * x\n"
SLOW = "import time\n\n\ndef double(x):\n    time.sleep(1)\n    return 2 * x\n"


@pytest.fixture(scope="module")
def workers():
    with confined_workers() as started:
        yield started


@pytest.fixture(scope="module")
def key(tiny):
    return load_key(tiny / "public.key.safetensors")


@pytest.fixture
def grades(tmp_path):
    with Grades(tmp_path / "grades.db", create=True) as opened:
        yield opened


@pytest.fixture
def work(grades, key, workers):
    """How this class is graded; with `exercises` and `seconds` of its own."""

    def make(*names, seconds=5.0):
        chosen = [exercise for exercise in key.exercises if exercise.name in (names or ("double",))]
        id, limits = grades.use_key(key), Limits(seconds=seconds)
        return Work(key=key, key_id=id, exercises=chosen, limits=limits, mode="full", workers=workers)

    return make


def grade(grades, folder, files, work):
    write(folder, {f"class/{name}": text for name, text in files.items()})
    watch = Watch()
    assign(grades, work.key, work.exercises, all_of_them=False)
    handed = enrol(grades, find_submissions(folder / "class", work.topics, "folders").attempts, None).attempts
    grade_class(grades, handed, work, 2, watch, lambda: None)
    assert not watch.faults
    return watch


def again(grades, work, *, students=(), in_part=False, commit=False):
    chosen = plan(grades, students, in_part=in_part)
    options = {"in_part": in_part, "commit": commit, "jobs": 2, "watch": Watch(), "tick": lambda: None}
    changes = grade_again(grades, work, chosen.wanted, **options)
    if commit:
        keep(grades, work.key, None if students or in_part else [exercise.name for exercise in work.exercises])
    return changes


def counting(grades):
    return {result.student: result.points for result in grades.results()}


def history(grades, student):
    return [result.points for result in grades.results(student, history=True)]


def misjudged(grades, student, points):
    """As if an earlier version of the key had given `points`."""
    [result] = grades.results(student)
    exercises = tuple(structs.replace(exercise, points=points) for exercise in result.evidence.exercises)
    wrong = replace(result, points=points, evidence=structs.replace(result.evidence, exercises=exercises))
    grades.add(wrong, grades.submission(result.identity.source, student))


def test_what_would_change_is_told_and_kept_only_when_that_is_asked_for(grades, work, tmp_path):
    grade(grades, tmp_path, {"ada/double.py": DOUBLE, "emmy/double.py": WRONG}, work())
    misjudged(grades, "ada", 0.0)
    for commit in (False, True):
        before = (counting(grades), history(grades, "ada"), history(grades, "emmy"))
        changes = again(grades, work(), commit=commit)
        assert [(change.student, change.exercises, change.is_one) for change in changes] == [
            ("ada", ["double +1"], True), ("emmy", [], False),
        ]  # fmt: skip
        assert commit or (counting(grades), history(grades, "ada"), history(grades, "emmy")) == before
    assert counting(grades) == {"ada": 1.0, "emmy": 0.0}
    assert (history(grades, "ada"), history(grades, "emmy")) == ([1.0, 0.0, 1.0], [0.0])


def test_a_score_by_hand_stays_and_is_outdated(grades, work, tmp_path):
    grade(grades, tmp_path, {"ada/double.py": DOUBLE}, work())
    misjudged(grades, "ada", 0.0)
    grades.adjust(Adjustment(student="ada", points=0.5, automatic=0.0, made_at=now()))
    again(grades, work(), commit=True)
    [row] = standings(grades)
    assert (row.points, row.automatic, [a.points for a in row.outdated]) == (0.5, 1.0, [0.5])


def test_one_student_and_one_exercise(grades, work, tmp_path):
    both = work("double", "twice")
    files = {"ada/double.py": WRONG, "ada/twice.py": TWICE, "emmy/double.py": WRONG, "emmy/twice.py": TWICE}
    grade(grades, tmp_path, files, both)
    for student in ("ada", "emmy"):
        misjudged(grades, student, 0.25)
    [change] = again(grades, work("double"), students={"ada"}, in_part=True, commit=True)
    assert change.exercises == ["double -0.25"]
    assert counting(grades) == {"ada": 0.25, "emmy": 0.25}  # `twice` of ada is as it was, and all of emmy
    [ada] = grades.results("ada")
    assert [(each.id, each.points) for each in ada.evidence.exercises] == [("double", 0.0), ("twice", 0.25)]
    assert (ada.evidence.points, ada.evidence.max_points) == (0.25, 2.0)
    assert grades.setting("scope") == ["double", "twice"]


def test_what_was_graded_again_with_other_limits_stays_when_the_class_is_graded_again(grades, work, tmp_path):
    short = work(seconds=0.3)
    grade(grades, tmp_path, {"ada/double.py": SLOW}, short)
    assert counting(grades) == {"ada": 0.0}
    [change] = again(grades, work(seconds=9.0), students={"ada"}, commit=True)
    assert change.exercises == ["double +1"]
    assert grade(grades, tmp_path, {}, short).kept == 1
    assert (counting(grades), history(grades, "ada")) == ({"ada": 1.0}, [0.0, 1.0])


def test_some_exercises_make_no_grade_of_somebody_who_could_not_be_graded(grades, work, tmp_path):
    grade(grades, tmp_path, {"ada/double.py": DOUBLE, "emmy/double.py": DOUBLE}, work())
    [first] = grades.results("ada")
    nothing = replace(first, fault="no worker", points=0.0, evidence=structs.replace(first.evidence, exercises=()))
    grades.add(nothing, grades.submission(first.identity.source, "ada"))
    in_part = plan(grades, (), in_part=True)
    assert [student for student, _ in in_part.wanted] == ["emmy"]
    assert in_part.notes == ("'ada' could not be graded yet: leave out --exercise to do it now.",)
    changes = again(grades, work(), commit=True)
    assert [(change.student, change.is_one, change.was_ungradable) for change in changes] == [
        ("ada", True, True), ("emmy", False, False),
    ]  # fmt: skip
    assert [row.status for row in standings(grades)] == ["graded", "graded"]


def test_of_whom_nothing_could_be_read_there_is_nothing_to_grade_again(grades, work, tmp_path):
    grade(grades, tmp_path, {"ada/double.py": DOUBLE, "eve/double.py": ""}, work())
    nothing = plan(grades, {"eve"}, in_part=False)
    assert (list(nothing.wanted), nothing.notes) == (
        [], ("'eve' has no grade, so there is nothing to grade again.",),
    )  # fmt: skip


def test_a_fault_of_ours_changes_no_grade(grades, work, tmp_path):
    grade(grades, tmp_path, {"ada/double.py": DOUBLE}, work())

    def nobody(*_):
        raise OSError("no more processes")

    broken = work()
    broken = replace(broken, workers=replace(broken.workers, start=nobody))
    [change] = again(grades, broken, commit=True)
    assert "no more processes" in change.fault
    assert (counting(grades), history(grades, "ada")) == ({"ada": 1.0}, [1.0])
