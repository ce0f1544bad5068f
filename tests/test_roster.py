"""A roster is read or refused with its line; an attempt goes to the one row that fits, or to none."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from attention_kata.intake import Attempt, IntakeError
from attention_kata.intake.roster import Duplicate, RosterRow, read_roster

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1)

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
    "found", [attempt("nobody"), attempt("X"), attempt("Ada"), attempt("77", name="Ada"), attempt(""), attempt("@")]
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


def test_every_platforms_own_id_finds_its_row(tmp_path):
    names = [
        "lms_user_id", "canvas_id", "sis_id", "sis_user_id", "login_id", "participant_id", "participant", "idnumber",
        "sid", "github", "github_username", "username",
    ]  # fmt: skip
    rows = f"student_id,{','.join(names)}\nada,{','.join(f'of-{name}' for name in names)}\n"
    matched = roster(tmp_path, rows).match([attempt(f"of-{name}") for name in names])
    assert [own.identity for own in matched.attempts["ada"]] == sorted(f"of-{name}" for name in names)


def test_a_column_that_is_not_there_is_nobodys_id(tmp_path):
    assert not roster(tmp_path, "student_id\nada\n").match([attempt("X")]).attempts["ada"]


def test_an_attempt_alone_on_its_row_is_no_duplicate(tmp_path):
    matched = roster(tmp_path).match([attempt("ada", day=1), attempt("ada", day=2), attempt("grace")])
    assert matched.duplicates == ()
    matched = roster(tmp_path).match([attempt("ada"), attempt("1001")])
    assert matched.duplicates == (Duplicate("ada", ("ada", "1001")),)


def test_what_the_attempts_of_one_identity_say_is_taken_together(tmp_path):
    found = [attempt("77", email="x@y.org"), attempt("77", email="Ada@x.org")]
    assert len(roster(tmp_path).match(found).attempts["ada"]) == 2
    torn = [attempt("77", email="ada@x.org"), attempt("77", email="grace@x.org", name="Ada Lovelace")]
    assert roster(tmp_path).match(torn).unknown == tuple(torn)


def test_an_address_without_an_at_sign_is_none(tmp_path):
    rows = "student_id,email,first_name,last_name\na,house,Ada,Lovelace\nb,b@x.org,House,House\n"
    matched = roster(tmp_path, rows).match([attempt("7", email="house", name="Ada Lovelace")])
    matched_by_identity = roster(tmp_path, rows).match([attempt("house")])
    assert [own.identity for own in matched.attempts["a"]] == ["7"]
    assert [own.student for own in matched_by_identity.unknown] == ["house"]


def test_attempts_of_one_moment_are_in_the_order_of_their_labels_then_of_where_they_were_found(tmp_path):
    found = [attempt("ada", label="attempt 10"), attempt("ada", day=1), attempt("ada", label="attempt 9")]
    [first, second, third] = roster(tmp_path).match(found).attempts["ada"]
    assert [first.label, second.label, third.handed_in] == ["attempt 9", "attempt 10", found[1].handed_in]
    found = [attempt("AdaL"), attempt("1001")]
    assert [own.identity for own in roster(tmp_path).match(found).attempts["ada"]] == ["1001", "AdaL"]


def test_a_moment_before_1970_is_older_than_none(tmp_path):
    old = datetime(1969, 12, 31, tzinfo=UTC)
    found = [attempt("ada"), replace(attempt("ada"), handed_in=old), replace(attempt("ada"), handed_in=BEGINNING)]
    dates = [own.handed_in for own in roster(tmp_path).match(found).attempts["ada"]]
    assert dates == [old, None, BEGINNING]


def test_a_row_gives_its_columns_back(tmp_path):
    [ada, *_, zoe] = roster(tmp_path).students
    assert ada.columns == {
        "student_id": "ada", "first_name": "Ada", "last_name": "Lovelace", "email": "ada@x.org",
        "lms_user_id": "1001", "github": "AdaL",
    }  # fmt: skip
    assert zoe.extra == {"lms_user_id": "1003", "github": ""}
    assert RosterRow.of({"student_id": "x", "team": "1"}).columns == {
        "student_id": "x", "first_name": "", "last_name": "", "email": "", "team": "1",
    }  # fmt: skip
    assert RosterRow.of({}).line == 0


def test_a_roster_does_not_print_its_students(tmp_path):
    assert repr(roster(tmp_path)) == "Roster()"


@pytest.mark.parametrize(
    ("text", "students"),
    [
        ("\r\n\nstudent_id;first_name\nada;Ada, b. 1815, d. 1852\n", [("ada", "Ada, b. 1815, d. 1852")]),
        ("student_id\nada\n , \n", [("ada", "")]),
        ("student_id,first_name,team\nada\n", [("ada", "")]),
        ("Xstudent_id,student_id,first_name\nx,ada,Ada\n", [("ada", "Ada")]),
        ("student_id,first_name,,\nada,Ada,,\n", [("ada", "Ada")]),
        ('student_id,first_name\nada,"A\rda"\n', [("ada", "A\rda")]),
        ("student_id,first_name\rada,Ada\r", [("ada", "Ada")]),
        ("student_id,XXX\nada,1\n", [("ada", "")]),
    ],
)
def test_what_programs_write_around_a_table_is_read(tmp_path, text, students):
    read = roster(tmp_path, text).students
    assert [(student.student_id, student.first_name) for student in read] == students


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_either_order_of_bytes_is_read(tmp_path, mark):
    [student] = roster(tmp_path, ("\ufeff" + "student_id\nada\n").encode(mark)).students
    assert student.student_id == "ada"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c,d,e,f,g\n",
         "has no column student_id: its first line must name the columns (found: a, b, c, d, e, f)."),
        (b"student_id\nada\n\xe9\n", "is not UTF-8 text: line 3. Save it as CSV in UTF-8."),
        (b"\nstudent_id\n\xe9", "is not UTF-8 text: line 3. Save it as CSV in UTF-8."),
        ("\nstudent_id\n\0", "holds a NUL byte on line 3. Save it as CSV in UTF-8."),
        (b"\xe9", "is not UTF-8 text: line 1. Save it as CSV in UTF-8."),
        ("student_id\0\n", "holds a NUL byte on line 1. Save it as CSV in UTF-8."),
        ('"student_id\n', "line 1: unexpected end of data. Is a quote missing?"),
        ("student_id\nada\nada\nada\n",
         "lines 2 and 3 and 4 have the same ada. Each student needs an id of their own."),
        ("student_id,x\n" + 5 * ",1\n",
         "line 2 has no student_id; line 3 has no student_id; line 4 has no student_id; line 5 has no student_id; "
         "line 6 has no student_id. Each student needs an id of their own."),
        ("student_id,x\n" + 7 * ",1\n",
         "line 2 has no student_id; line 3 has no student_id; line 4 has no student_id; line 5 has no student_id; "
         "line 6 has no student_id; and 2 more. Each student needs an id of their own."),
    ],
)  # fmt: skip
def test_what_a_refusal_names(tmp_path, text, message):
    with pytest.raises(IntakeError) as caught:
        roster(tmp_path, text)
    assert str(caught.value).replace(f"{tmp_path}/roster.csv", "").lstrip(",: ") == message


def test_a_roster_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(IntakeError) as caught:
        read_roster(tmp_path / "none.csv")
    assert str(caught.value) == f"{tmp_path}/none.csv cannot be read: No such file or directory."


def test_a_roster_of_more_than_64_megabytes_is_refused(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:  # sparse: it takes no room
        file.write(b"student_id\nada\n")
        file.truncate((64 << 20) + 1)
    with pytest.raises(IntakeError) as caught:
        read_roster(path)
    assert str(caught.value) == f"{path} is larger than 64 MB: a table of students was expected."
    with path.open("rb+") as file:
        file.truncate(64 << 20)
    with pytest.raises(IntakeError, match="NUL byte on line 3"):  # it was read
        read_roster(path)
