"""Who is in a class and what they handed in, as it is written down before anything is graded."""

from datetime import UTC, datetime

import pytest

from attention_kata.gradebook.database import BadGrades
from attention_kata.gradebook.enrol import assign, enrol
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Adjustment, Identity, Result, now
from attention_kata.gradebook.standing import standings
from attention_kata.intake import Attempt
from attention_kata.intake.roster import Roster, RosterRow
from attention_kata.intake.submission import Submission
from attention_kata.judge.evidence import CourseVersion, Evidence
from attention_kata.key.file import load_key
from attention_kata.messages.said import as_text

NOTHING = Evidence(
    schema=2, course=CourseVersion("c", "1"), student="s", points=0.0, max_points=1.0, exercises=(), output="",
    isolation={},
)  # fmt: skip


@pytest.fixture
def grades(tmp_path):
    with Grades(tmp_path / "grades.db", create=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def key(tiny):
    return load_key(tiny / "public.key.safetensors")


def attempt(student, day=None, **facts):
    when = datetime(2026, 10, day, tzinfo=UTC) if day else None
    return Attempt(student=student, origin=f"class/{student}", handed_in=when, **facts)


def roster(*rows):
    columns = ("student_id", "first_name", "last_name", "email")
    return Roster(tuple(RosterRow.of(dict(zip(columns, row, strict=False))) for row in rows))


def everybody(grades):
    """Who is in the database: id, and whether on the roster."""
    return [(student.id, student.roster is not None) for student in grades.students()]


def put(grades, student, points):
    """A result, as after grading."""
    grades.add(
        Result(
            student=student,
            identity=Identity("files", "key", "1", "{}"),
            handed_in=None,
            graded_at=now(),
            seconds=0.0,
            torch="",
            grader="",
            points=points,
            max_points=1.0,
            fault="",
            evidence=NOTHING,
        ),
        Submission("", {}),
    )


def test_the_newest_attempt_of_each_who_can_be_read_is_to_be_graded(grades):
    old, new, empty = attempt("ada", 3), attempt("ada", 5), attempt("kurt", problem=as_text("it is no zip"))
    done = enrol(grades, [old, new, empty], None)
    assert (done.attempts, done.notes) == ((new,), ())
    assert [len(own) for own in grades.attempts().values()] == [2, 1]
    assert [(row.id, row.status) for row in standings(grades)] == [("ada", "waiting"), ("kurt", "unreadable")]


def test_a_roster_holds_for_later_runs_without_it(grades):
    for given in (roster(("m1", "Ada", "Lovelace")), None):
        done = enrol(grades, [attempt("Ada Lovelace")], given)
        assert [(a.student, a.identity) for a in done.attempts] == [("m1", "Ada Lovelace")]
        assert everybody(grades) == [("m1", True)]


def test_whoever_is_taken_off_the_roster_is_missing_no_longer(grades):
    handed = [attempt("ada"), attempt("kurt")]
    enrol(grades, handed, roster(("ada",), ("kurt",), ("emmy",)))
    assert everybody(grades) == [("ada", True), ("emmy", True), ("kurt", True)]
    enrol(grades, handed, roster(("ada",)))
    assert everybody(grades) == [("ada", True), ("kurt", False)]


def test_a_run_without_somebody_leaves_them_as_they_were(grades):
    class_ = roster(("ada",), ("kurt",), ("emmy",))
    enrol(grades, [attempt("ada"), attempt("kurt")], class_)
    grades.unreadable("ada", as_text("class/ada holds none of double.py"))
    before = {row.id: row for row in standings(grades)}
    done = enrol(grades, [attempt("emmy")], class_)
    after = {row.id: row for row in standings(grades)}
    assert [a.student for a in done.attempts] == ["emmy"]
    assert [after[id] == before[id] for id in ("ada", "kurt", "emmy")] == [True, True, False]


def test_whoever_was_there_before_the_roster_came_is_one_student_and_keeps_what_was_decided(grades):
    handed = [attempt("Ada Lovelace"), attempt("eve")]
    enrol(grades, handed, None)
    put(grades, "Ada Lovelace", 1.0)
    put(grades, "eve", 0.0)
    grades.adjust(Adjustment(student="Ada Lovelace", points=0.5, made_at=now()))
    grades.extend("Ada Lovelace", 2 * 86400.0)
    enrol(grades, handed, roster(("s1", "Ada", "Lovelace")))
    rows = [(row.id, row.name, row.points, row.student.extension, row.on_roster) for row in standings(grades)]
    assert rows == [("eve", "eve", 0.0, 0.0, False), ("s1", "Ada Lovelace", 0.5, 2 * 86400.0, True)]


@pytest.mark.parametrize(
    ("days", "counts", "said"),
    [
        ((5, 3), "ada", "the newest counts."),
        ((None, None), "ada@x.org", "when they were handed in is not known, so 'ada@x.org' counts unless you remove"
         " it."),
    ],
)  # fmt: skip
def test_two_identities_of_one_student_say_which_counts(grades, days, counts, said):
    handed = [attempt("ada", days[0]), attempt("ada@x.org", days[1])]
    done = enrol(grades, handed, roster(("ada", "", "", "ada@x.org")))
    assert [a.identity for a in done.attempts] == [counts]
    [note] = done.notes
    assert sorted(note.partition(" are both ")[0].split(" and ")) == ["'ada'", "'ada@x.org'"]
    assert note.endswith(f" are both 'ada' on the roster: {said}")
    assert sorted(kept.label for kept in grades.attempts()["ada"]) == ["ada", "ada@x.org"]


def test_a_roster_in_one_form_of_unicode_knows_a_folder_in_another(grades):
    done = enrol(
        grades, [attempt("Zoe\u0308"), attempt("GO\u0308DEL, kurt")], roster(("Zo\u00eb",), ("k", "Kurt", "Gödel"))
    )
    assert [a.student for a in done.attempts] == ["Zo\u00eb", "k"]


# ---------------------------------------------------------------------- the assignment


def test_a_database_holds_one_assignment(grades, key):
    double, twice = key.exercises
    assert assign(grades, key, [double], all_of_them=False) == ([double], "")
    assert (grades.setting("scope"), grades.setting("max_points")) == (["double"], double.points)
    with pytest.raises(BadGrades, match="holds the grades of double: use another --db for other exercises"):
        assign(grades, key, [twice], all_of_them=False)
    chosen, note = assign(grades, key, [double, twice], all_of_them=True)
    assert chosen == [double]
    assert note.endswith("holds double, and only that is graded; another assignment needs another --db.")
    assert (grades.setting("scope"), grades.setting("max_points")) == (["double"], double.points)


def test_the_same_assignment_may_be_named_or_not(grades, key):
    for all_of_them in (True, False):
        assert assign(grades, key, key.exercises, all_of_them=all_of_them) == (list(key.exercises), "")
