"""Canvas's and Moodle's own files, filled in: only the cells that should change do, and nobody is guessed."""

import csv
import io
from collections import Counter

import pytest
from classes import DUE, ODD_NAMES, make_class

from attention_kata.export import FORMATS
from attention_kata.export.request import BadExport, Request
from attention_kata.export.sheet import read_sheet
from attention_kata.gradebook.records import Adjustment

TITLE = "Attention (4711)"
HEADER = f"Student,ID,SIS User ID,SIS Login ID,Section,Old (12),{TITLE},Current Score,Final Score"
POSSIBLE = "    Points Possible,,,,,10.00,100.00,(read only),(read only)"
CANVAS = [
    HEADER,
    POSSIBLE,
    '"HYPERLINK, Mr",9000,,,"Attention, 2026",5,,50.0,50.0',
    '"Lace, Love",9001,s00001,love,"Attention, 2026",,3,,',
    '"x ""y"" z",1,s00002,quo,Attention,,EX,,',
    "Somebody Else,2,other,login,Attention,1,7,,",
    "Nobody Yet,77,,S00013@EXAMPLE.ORG,Attention,1,8,,",
    '"Ångström, Zoë",78,,,Attention,1,,,',
    '"Student, Test",79,,,Attention,,,,',
]
MOODLE = [
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments",
    'Participant 501,Love Lace,,s00001@example.org,Submitted,,20.00,Yes,"Tuesday, 1 December 2026",-,',
    'Participant 502,"Quote, A",S00002,,Submitted,4.00,20.00,Yes,-,-,"well, done"',
    "Participant 9000,No Name,,,No submission,,20.00,Yes,-,-,",
    "Participant 504,Student 13,,,No submission,,20.00,Yes,-,-,",
    "Participant 505,Unknown Person,,u@example.org,,11.00,20.00,Yes,-,-,",
]
GERMAN = [
    '"ID";"Vollständiger Name";"E-Mail-Adresse";"Status";"Bewertung";"Bestwertung";"Änderbar";"Zuletzt geändert"',
    '"Teilnehmer/in501";"Love Lace";"s00001@example.org";"Abgegeben";"";"20,00";"Ja";"-"',
    '"Teilnehmer/in502";"Niemand";"n@example.org";"Abgegeben";"3,00";"20,00";"Ja";"-"',
]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("class") / "grades.db"
    with make_class(path, len(ODD_NAMES), missing=2) as grades:
        grades.set("due", DUE.isoformat())
        grades.set("late", "per-day 10%")
        grades.adjust(Adjustment(student="s00001", points=50.0, comment="<b>oral</b>", automatic=25, made_at=DUE))
    return path


@pytest.fixture
def fill(db, tmp_path):
    def fill(name, lines, *, end="\n", bom=False, data=None, **options):
        path = tmp_path / "into.csv"
        path.write_bytes(data or (b"\xef\xbb\xbf" if bom else b"") + (end.join(lines) + end).encode())
        said = []
        return b"".join(FORMATS[name].produce(Request(db=db, into=path, say=said.append, **options))), said

    return fill


def rows(data, delimiter=","):
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter, strict=True))


def changed(lines, data):
    """(line, column): new text."""
    before, after = list(csv.reader(lines)), rows(data)
    assert [len(row) for row in before] == [len(row) for row in after]
    return {(i, j): cell for i, row in enumerate(after) for j, cell in enumerate(row) if cell != before[i][j]}


# ---------------------------------------------------------------------- Canvas


def test_canvas_is_matched_by_its_number_the_schools_the_login_and_the_name(fill):
    data, _ = fill("canvas", CANVAS, column=TITLE)
    assert changed(CANVAS, data) == {(2, 6): "70", (3, 6): "50", (7, 6): "0"}


def test_excused_unknown_and_ungraded_students_keep_what_canvas_has(fill):
    data, _ = fill("canvas", CANVAS, column=TITLE)
    assert [row[6] for row in rows(data)][4:7] == ["EX", "7", "8"]


def test_who_could_not_be_matched_is_said(fill):
    _, said = fill("canvas", CANVAS, column=TITLE)
    assert said[0].startswith("2 of ")
    assert "Somebody Else; Student, Test" in said[0]
    assert said[1].startswith("9 with a grade are not in ")
    assert "\x1b" not in said[1]
    assert "1 have no grade here" in said[2]
    assert "Student 13" in said[2]


@pytest.mark.parametrize("bom", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_everything_else_in_the_file_stays_byte_for_byte(fill, bom, end, delimiter):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(csv.reader(CANVAS))
    before = out.getvalue()
    data, _ = fill("canvas", before.split(end)[:-1], end=end, bom=bom, column=TITLE)
    lines = before.split(end)
    cells = {2: '""', 3: '"3"', 7: '""'}
    for line, old in cells.items():
        parts = lines[line].split(delimiter)
        at = len(parts) - 3
        assert parts[at] == old
        parts[at] = {2: '"70"', 3: '"50"', 7: '"0"'}[line]
        lines[line] = delimiter.join(parts)
    assert data == (b"\xef\xbb\xbf" if bom else b"") + end.join(lines).encode()


def test_a_file_without_a_last_line_end_gets_none(fill):
    data, _ = fill("canvas", [], data="\n".join(CANVAS).encode(), column=TITLE)
    assert not data.endswith(b"\n")
    assert len(rows(data)) == len(CANVAS)


def test_the_title_without_its_number_is_enough(fill):
    assert fill("canvas", CANVAS, column="Attention")[0] == fill("canvas", CANVAS, column=TITLE)[0]


@pytest.mark.parametrize("column", ["attention", "Attention (1)", "Final Score", "Section", "Student"])
def test_a_column_that_does_not_exist_is_an_error_that_lists_them(fill, column):
    with pytest.raises(BadExport, match=r"names no column.*write one of 'Old \(12\)', 'Attention \(4711\)'$"):
        fill("canvas", CANVAS, column=column)


def test_two_columns_of_one_title_are_told_apart_by_their_number(fill):
    twice = [line.replace("Old (12)", "Attention (12)") for line in CANVAS]
    with pytest.raises(BadExport, match="more than one column"):
        fill("canvas", twice, column="Attention")
    assert changed(twice, fill("canvas", twice, column="Attention (12)")[0])[2, 5] == "7"


def test_points_are_written_in_canvas_scale_and_that_is_said(fill):
    data, said = fill("canvas", CANVAS, column="Old (12)")
    assert changed(CANVAS, data) == {(2, 5): "7", (3, 5): "5", (4, 5): "2.45", (7, 5): "0"}
    assert "points out of 100 are written as points out of 10, as in Canvas" in said


def test_a_row_between_the_header_and_the_points_is_no_student(fill):
    lines = [HEADER, ",,,,,Manual Posting,,(read only),(read only)", *CANVAS[1:]]
    assert changed(lines, fill("canvas", lines, column=TITLE)[0]) == {(3, 6): "70", (4, 6): "50", (8, 6): "0"}


def test_a_name_that_stands_twice_matches_nobody(fill):
    lines = [*CANVAS, '"Ångström, Zoë",80,,,Attention,1,,,']
    data, said = fill("canvas", lines, column=TITLE)
    assert (7, 6) not in changed(lines, data)
    assert "Ångström, Zoë; Student, Test; Ångström, Zoë" in said[0]


def test_two_lines_for_one_student_are_left_to_the_instructor(fill):
    lines = [*CANVAS, "Twin,9000,,,Attention,1,,,"]
    assert {line for line, _ in changed(lines, fill("canvas", lines, column=TITLE)[0])} == {3, 7}


def test_a_line_that_means_two_students_is_left_to_the_instructor(fill):
    lines = [*CANVAS[:2], "Mix,9001,s00002,,Attention,,,,"]
    assert changed(lines, fill("canvas", lines, column=TITLE)[0]) == {}


def test_without_canvas_numbers_in_the_roster_the_students_id_counts(tmp_path):
    path, db = tmp_path / "into.csv", tmp_path / "grades.db"
    make_class(db, 1, missing=0, roster=False).close()
    lines = [HEADER, POSSIBLE, "A,s00000,,,Attention,,,,", "B,9000,,,Attention,,,,"]
    path.write_text("\n".join(lines) + "\n")
    data = b"".join(FORMATS["canvas"].produce(Request(db=db, into=path, column=TITLE, say=lambda text: None)))
    assert changed(lines, data) == {(2, 6): "70"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"name,grade\na,1\n", "first columns should be Student and ID"),
        (b"Student,ID,Section,A\n", "holds no row below"),
        (b"Student,ID,Section,A\n\xff,1,2,3\n", "is not UTF-8 text"),
    ],
)
def test_a_file_that_is_not_canvas_own_is_refused(fill, data, says):
    with pytest.raises(BadExport, match=says):
        fill("canvas", [], data=data, column="A")


# ---------------------------------------------------------------------- the lossless reader


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"x ""y""",2\n',
        'a,b\r\n"two\r\nlines",\r\n',
        "a,b\n1,",
        'a,b\n"open,1\n2,3\n',
        'a,b\n""""\n\n,\n',
        "a,b\r1,2",
    ],
)
def test_a_sheet_that_is_not_changed_is_the_same_bytes(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    sheet = read_sheet(path)
    assert sheet.data() == text.encode()
    if "open" not in text:
        read = list(csv.reader(io.StringIO(text, newline="")))
        assert [sheet.values(i) for i in range(len(sheet.rows))] == [row or [""] for row in read]


# ---------------------------------------------------------------------- Moodle's worksheet


def test_moodles_worksheet_gets_scaled_grades_and_the_words(fill):
    data, _ = fill("moodle", MOODLE)
    assert changed(MOODLE, data) == {
        (1, 5): "10",
        (1, 10): "&lt;b&gt;oral&lt;/b&gt;",
        (2, 5): "4.9",
    }


def test_blanks_stay_blank_and_others_keep_their_grade(fill):
    data, said = fill("moodle", MOODLE)
    assert [row[5] for row in rows(data)][3:] == ["", "", "11.00"]
    assert "No Name; Unknown Person" in said[0]
    assert "Student 13" in said[2]


def test_lateness_is_said_in_the_feedback(fill):
    lines = [MOODLE[0], "Participant 7,x,,s00007@example.org,,,100.00,Yes,-,-,"]
    data, _ = fill("moodle", lines)
    late = "Handed in 1 hour after the due date: 10% of the points are taken off. 24.5 points minus 2.45 leaves 22.05."
    assert changed(lines, data) == {(1, 5): "22.05", (1, 10): late}


def test_the_participants_number_counts_where_the_class_has_it(tmp_path):
    db, path = tmp_path / "grades.db", tmp_path / "into.csv"
    with make_class(db, 1, missing=0, roster=False) as grades:
        for table in ("students", "results", "attempts"):
            grades._write(f"UPDATE {table} SET {'id' if table == 'students' else 'student'} = '501'")
    path.write_text("\n".join(MOODLE[:2]) + "\n")
    data = b"".join(FORMATS["moodle"].produce(Request(db=db, into=path, say=lambda text: None)))
    assert changed(MOODLE[:2], data) == {(1, 5): "14"}


def test_a_worksheet_in_another_language_is_read_by_what_is_in_it(fill):
    data, _ = fill("moodle", GERMAN, bom=True, end="\r\n")
    expected = GERMAN[1].replace('"";"20,00"', '"10";"20,00"')
    assert data.decode("utf-8-sig").split("\r\n") == [GERMAN[0], expected, GERMAN[2], ""]


def test_a_decimal_comma_stays_one(fill):
    lines = [line.replace('"20,00"', '"25,00"') for line in GERMAN]
    assert '"";"25,00"' in lines[1]
    assert '"12,5";"25,00"' in fill("moodle", lines)[0].decode()


def test_a_named_column_is_taken(fill):
    lines = [line.replace("Grade,", "Punkte,", 1) for line in MOODLE]
    assert changed(lines, fill("moodle", lines, column="Punkte")[0])[1, 5] == "10"


@pytest.mark.parametrize("column", ["", "nonsense"])
def test_a_grade_column_that_cannot_be_told_is_an_error_that_lists_them(fill, column):
    lines = ["Identifier,A,B", "Participant 1,x,y"]
    with pytest.raises(BadExport, match="name it with --column, one of 'Identifier', 'A', 'B'"):
        fill("moodle", lines, column=column)


def test_a_list_without_participants_is_refused(fill):
    with pytest.raises(BadExport, match="Participant 123"):
        fill("moodle", ["Name,Grade", "Ada,1"])


# ---------------------------------------------------------------------- Moodle's gradebook


def imported(db, **options):
    said = []
    return rows(b"".join(FORMATS["moodle-gradebook"].produce(Request(db=db, say=said.append, **options)))), said


def test_the_import_has_a_row_for_each_grade_and_none_for_the_others(db):
    table, said = imported(db)
    assert table[:3] == [["email", "Attention Kata"], ["s00000@example.org", "70"], ["s00001@example.org", "50"]]
    assert (len(table), said) == (1 + len(ODD_NAMES), [])


def test_nobody_outside_moodles_list_is_in_the_import(db, tmp_path):
    (tmp_path / "users.csv").write_text("Username;Email address\nx;S00001@Example.org\ny;other@example.org\n")
    table, said = imported(db, into=tmp_path / "users.csv", column="Kata")
    assert table == [["email", "Kata"], ["S00001@Example.org", "50"]]
    assert said[0].startswith("12 with a grade have no usable email of their own in ")


def test_a_value_that_two_students_have_is_nobodys(tmp_path):
    with make_class(tmp_path / "grades.db", 3, missing=0) as grades:
        grades._write("UPDATE students SET email = 'same@example.org', roster = '{}' WHERE id < 's00002'")
    table, said = imported(tmp_path / "grades.db")
    assert table[1:] == [["s00002@example.org", "24.5"]]
    assert "2 with a grade have no usable email of their own here" in said[0]


@pytest.mark.parametrize(("user", "first"), [("idnumber", "s00000"), ("username", "s00000"), ("id", "9000")])
def test_users_are_known_by_the_field_that_was_asked_for(db, user, first):
    assert imported(db, user=user)[0][1] == [first, "70"]


def test_a_list_without_the_field_is_an_error_that_lists_its_columns(db, tmp_path):
    (tmp_path / "users.csv").write_text("Name,Email\na,b\n")
    with pytest.raises(BadExport, match="no column for --user id: its columns are 'Name', 'Email'"):
        imported(db, into=tmp_path / "users.csv", user="id")


def test_no_value_is_written_twice(db):
    assert max(Counter(row[0] for row in imported(db)[0]).values()) == 1


def test_a_user_that_would_be_a_formula_is_left_out_and_said(tmp_path):
    with make_class(tmp_path / "grades.db", 2, missing=0) as grades:
        grades._write("UPDATE students SET email = '=1+1@example.org', roster = '{}' WHERE id = 's00000'")
    table, said = imported(tmp_path / "grades.db")
    assert table[1:] == [["s00001@example.org", "25"]]
    assert said[0].startswith("1 with a grade have no usable email of their own here")
