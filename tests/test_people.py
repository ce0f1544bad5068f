"""Who is who: what finds somebody coming in, on the roster, finds the same going out, in an export."""

import csv
import io

import pytest

from attention_kata.export.canvas import canvas
from attention_kata.export.request import Request
from attention_kata.gradebook.enrol import enrol
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Adjustment, now
from attention_kata.intake import Attempt
from attention_kata.intake.roster import Roster, RosterRow

COLUMNS = ("student_id", "first_name", "last_name", "email", "lms_user_id", "login_id")
CLASS = (
    ("m1", "Zo\u00eb", "Müller", "zoe@example.org", "1001", "ZoeM"),
    ("m2", "Zoe", "Muller", "other@example.org", "1002", ""),
    ("m3", "Kurt", "Gödel", "kurt@example.org", "1003", ""),
    ("m4", "James", "Howard", "james@example.org", "1004", ""),
    ("m5", "Howard", "James", "howard@example.org", "1005", ""),
    ("stra\u00dfe", "Jean Paul", "O'Neil, Jr", "", "1006", ""),
)
HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Heads")


@pytest.fixture(scope="module")
def roster():
    return Roster(tuple(RosterRow.of(dict(zip(COLUMNS, row, strict=True))) for row in CLASS))


@pytest.fixture(scope="module")
def db(roster, tmp_path_factory):
    path = tmp_path_factory.mktemp("class") / "grades.db"
    with Grades(path, create=True) as grades:
        enrol(grades, (), roster)
        for i, row in enumerate(CLASS):
            grades.adjust(Adjustment(student=row[0], points=float(i + 1), made_at=now()))
    return path


def coming_in(roster, **facts):
    """Whose an attempt is; "" when nobody's."""
    matched = roster.match([Attempt(origin="somewhere", **{"student": "77", **facts})])
    return next((student for student, own in matched.attempts.items() if own), "")


def going_out(db, folder, *lines):
    """Whose grade each line of a Canvas gradebook gets; "" when nobody's."""
    out = io.StringIO()
    csv.writer(out).writerows([HEADER, *([*line, "", ""] for line in lines)])
    (folder / "canvas.csv").write_text(out.getvalue(), encoding="utf-8")
    request = Request(db=db, into=folder / "canvas.csv", column="Heads", say=lambda text: None)
    filled = list(csv.reader(io.StringIO(b"".join(canvas(request)).decode())))
    request.close()
    return [CLASS[int(row[5]) - 1][0] if row[5] else "" for row in filled[1:]]


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("Kurt Gödel", "m3"),
        ("Gödel, Kurt", "m3"),
        ("Gödel Kurt", "m3"),
        ("GO\u0308DEL,  kurt", "m3"),
        ("kurt godel", "m3"),
        ("godelkurt", "m3"),
        ("Ｋｕｒｔ Gödel", "m3"),
        ("Gödel", ""),
        ("Zoe\u0308 Müller", "m1"),
        ("Muller, Zoe", "m2"),
        ("Zoe Müller", ""),  # by its letters it is two
        ("Howard, James", "m4"),
        ("James Howard", ""),  # or the other way round, as some platforms have it
        ("Jean Paul O'Neil, Jr", "stra\u00dfe"),
        ("O’Neil Jr, Jean-Paul", "stra\u00dfe"),
        ("Somebody Else", ""),
        ("", ""),
    ],
)
def test_a_name_finds_the_same_person_on_both_sides(roster, db, tmp_path, name, student):
    line = (name, "77", "", "")
    assert (coming_in(roster, name=name), *going_out(db, tmp_path, line)) == (student, student)


@pytest.mark.parametrize(
    ("id", "email", "student"),
    [
        ("m3", "", "m3"),
        ("1003", "", "m3"),
        ("", " Kurt@Example.ORG", "m3"),
        ("1009", "", ""),
        ("zoem", "", "m1"),
        ("stra\u00dfe", "", "stra\u00dfe"),
    ],
)
def test_an_id_or_an_address_finds_the_same_person_on_both_sides(roster, db, tmp_path, id, email, student):
    column = {"1003": 1, "1009": 1, "zoem": 3}.get(id, 2)
    line = ["Nobody", "77", "", email]
    if id:
        line[column] = id
    assert (coming_in(roster, student=id or "77", email=email), *going_out(db, tmp_path, line)) == (student, student)


def test_a_name_that_is_spelled_otherwise_is_nobody_whom_another_line_means(db, tmp_path):
    lines = [("K. G.", "1003", "", ""), ("Godel Kurt", "77", "", "")]
    assert going_out(db, tmp_path, *lines) == ["m3", ""]


def test_a_name_that_two_lines_have_is_nobodys(db, tmp_path):
    assert going_out(db, tmp_path, ("Gödel, Kurt", "77", "", ""), ("kurt godel", "78", "", "")) == ["m3", ""]
    assert going_out(db, tmp_path, ("Gödel, Kurt", "77", "", ""), ("Kurt Gödel", "78", "", "")) == ["", ""]


def test_ids_that_differ_in_case_alone_are_told_apart_where_both_are_there(tmp_path):
    people = [dict(zip(COLUMNS, (id, "", "", "", "", ""), strict=True)) for id in ("ada", "ADA")]
    both = Roster(tuple(map(RosterRow.of, people)))
    assert [coming_in(both, student=id) for id in ("ada", "ADA", "Ada")] == ["ada", "ADA", ""]
    path = tmp_path / "grades.db"
    with Grades(path, create=True) as grades:
        enrol(grades, (), both)
        for points, id in enumerate(("ada", "ADA"), 1):
            grades.adjust(Adjustment(student=id, points=float(points), made_at=now()))
    lines = [(name, "77", id, "") for name, id in (("a", "ada"), ("b", "ADA"))]
    assert going_out(path, tmp_path, *lines) == ["m1", "m2"]  # the first and the second
    assert going_out(path, tmp_path, ("a", "77", "Ada", "")) == [""]
