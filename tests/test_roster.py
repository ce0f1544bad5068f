"""A roster is read or refused with its line; an attempt goes to the one row that fits, or to none."""

from datetime import UTC, datetime

import pytest

from attention_kata.intake import Attempt, IntakeError
from attention_kata.intake.roster import Duplicate, read_roster

ROWS = """student_id,first_name,last_name,email,lms_user_id,github
ada,Ada,Lovelace,ada@x.org,1001,AdaL
grace,Grace,Hopper,grace@x.org,1002,gracehopper
zoe,Zoë,"O'Neil, Jr",zoe@x.org,1003,
"""


def roster(tmp_path, text=ROWS, encoding="utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return read_roster(path)


def attempt(student, name="", email="", day=None, label=""):
    when = datetime(2026, 10, day, tzinfo=UTC) if day else None
    return Attempt(student=student, name=name, label=label, handed_in=when, origin=student, email=email)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_and_byte_order_marks_make_no_difference(tmp_path, delimiter, encoding):
    text = f'Student ID{delimiter}First_Name{delimiter}Section\r\n"a,;1"{delimiter}Zoë{delimiter} A \r\n'
    [student] = roster(tmp_path, text, encoding).students
    assert (student.student_id, student.first_name, student.extra) == ("a,;1", "Zoë", {"section": "A"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "roster.csv has no column student_id: its first line must name the columns (found: nothing)."),
        (
            "id,name\na,b\n",
            "roster.csv has no column student_id: its first line must name the columns (found: id, name).",
        ),
        ("student_id\n", "roster.csv lists no students."),
        ("student_id,x,X\na,b,c\n", "roster.csv has two columns x: rename or remove one."),
        (b"student_id\nad\xe9\n", "roster.csv is not UTF-8 text: line 2. Save it as CSV in UTF-8."),
        (b"student_id\nad\0\n", "roster.csv holds a NUL byte on line 2. Save it as CSV in UTF-8."),
        ('student_id\n"ada\n', "roster.csv, line 2: unexpected end of data. Is a quote missing?"),
        (
            "student_id,email\nada,x,y\n",
            "roster.csv, line 2: 3 fields where the first line has 2; put quotes around a field that holds a ','.",
        ),
        (
            "student_id,email\nada,a\n\n,b\nada,c\n",
            "roster.csv: line 4 has no student_id; lines 2 and 5 have the same ada."
            " Each student needs an id of their own.",
        ),
    ],
)
def test_a_roster_that_cannot_be_used_is_refused_with_its_line(tmp_path, monkeypatch, text, message):
    with pytest.raises(IntakeError) as caught:
        roster(tmp_path, text)
    assert str(caught.value).replace(f"{tmp_path}/", "") == message


def test_lines_are_those_on_which_a_row_begins(tmp_path):
    students = roster(tmp_path, 'student_id,first_name\nada,"Ada\nAugusta"\ngrace,Grace\n').students
    assert [student.line for student in students] == [2, 4]


@pytest.mark.parametrize(
    ("found", "student"),
    [
        (attempt("ada"), "ada"),
        (attempt("1002"), "grace"),
        (attempt("ADAL"), "ada"),
        (attempt("77", email="Grace@X.org"), "grace"),
        (attempt("grace@x.org"), "grace"),
        (attempt("77", name="hoppergrace"), "grace"),
        (attempt("77", name="Lovelace, Ada"), "ada"),
        (attempt("Ada Lovelace"), "ada"),
        (attempt("77", name="oneiljrzoe"), "zoe"),
        (attempt("Zoe\u0308 O’Neil Jr."), "zoe"),
    ],
)
def test_an_attempt_finds_its_row(tmp_path, found, student):
    matched = roster(tmp_path).match([found])
    [own] = matched.attempts[student]
    assert (own.student, own.identity) == (student, found.student)
    assert not matched.unknown


@pytest.mark.parametrize(
    "found", [attempt("nobody"), attempt("Ada"), attempt("77", name="Ada"), attempt(""), attempt("@")]
)
def test_an_attempt_on_nobodys_row_is_unknown(tmp_path, found):
    matched = roster(tmp_path).match([found])
    assert matched.unknown == (found,)
    assert matched.attempts == {"ada": (), "grace": (), "zoe": ()}


def test_two_rows_of_one_name_are_never_taken_for_each_other(tmp_path):
    rows = "student_id,first_name,last_name\na,Ada,Lovelace\nb,ADA,Lovelace\n"
    matched = roster(tmp_path, rows).match([attempt("77", name="Ada Lovelace"), attempt("b", name="Ada Lovelace")])
    assert [own.identity for own in matched.attempts["b"]] == ["b"]
    assert [own.student for own in matched.unknown] == ["77"]


def test_names_that_differ_in_an_accent_are_told_apart_where_it_is_written(tmp_path):
    rows = "student_id,first_name,last_name\na,Zoë,Müller\nb,Zoe,Muller\n"
    found = [attempt("1", name="Müller, Zoe\u0308"), attempt("2", name="Zoe Muller"), attempt("3", name="mullerzoe")]
    matched = roster(tmp_path, rows).match(found)
    assert {id: [own.identity for own in theirs] for id, theirs in matched.attempts.items()} == {"a": ["1"], "b": ["2"]}
    assert [own.student for own in matched.unknown] == ["3"]


def test_two_names_that_mirror_each_other_are_told_apart_by_a_comma_alone(tmp_path):
    rows = "student_id,first_name,last_name\na,James,Howard\nb,Howard,James\n"
    found = [attempt("1", name="Howard, James"), attempt("2", name="Howard James"), attempt("3", name="howardjames")]
    matched = roster(tmp_path, rows).match(found)
    assert [own.identity for own in matched.attempts["a"]] == ["1"]
    assert [own.student for own in matched.unknown] == ["2", "3"]


def test_an_ambiguous_id_is_not_settled_by_a_name(tmp_path):
    rows = "student_id,first_name,last_name,sis_id,github\na,Ada,Lovelace,7,\nb,Grace,Hopper,,7\n"
    matched = roster(tmp_path, rows).match([attempt("7", name="Ada Lovelace")])
    assert [own.student for own in matched.unknown] == ["7"]


def test_two_identities_of_one_row_are_both_listed_and_the_newest_is_last(tmp_path):
    matched = roster(tmp_path).match([attempt("1001", day=9), attempt("ada", day=3), attempt("AdaL", day=5)])
    assert matched.duplicates == (Duplicate("ada", ("1001", "ada", "AdaL")),)
    assert [own.identity for own in matched.attempts["ada"]] == ["ada", "AdaL", "1001"]


def test_ids_that_differ_in_case_are_two_students(tmp_path):
    matched = roster(tmp_path, "student_id\nada\nADA\n").match([attempt("ADA")])
    assert [len(own) for own in matched.attempts.values()] == [0, 1]
