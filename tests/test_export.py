"""Tables and JSON made from a class, read again by somebody else's parser, and the command around them."""

import base64
import csv
import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from classes import DUE, ODD_NAMES, make_class
from conftest import kata

from attention_kata.cli.export import export as command
from attention_kata.course.find import find_course
from attention_kata.export import FORMATS
from attention_kata.export.request import Request
from attention_kata.gradebook.records import Adjustment
from attention_kata.tables import number, safe
from attention_kata.text import visible

COUNT = len(ODD_NAMES)


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    """Thirteen who handed in and two who did not; decisions by hand, lateness."""
    path = tmp_path_factory.mktemp("class") / "grades.db"
    with make_class(path, COUNT, missing=2) as grades:
        grades.set("due", DUE.isoformat())
        grades.set("late", "per-day 10%")
        grades.adjust(
            Adjustment(
                student="s00000",
                exercise="softmax",
                check="values",
                points=0.5,
                comment="=1+1, see me",
                automatic=1.0,
                made_at=DUE,
            )
        )
        grades.adjust(Adjustment(student="s00001", points=50.0, comment="oral exam", automatic=25, made_at=DUE))
    return path


def made(name, db, **options):
    said = []
    data = b"".join(FORMATS[name].produce(Request(db=db, say=said.append, **options)))
    return data, said


def table(data):
    text = data.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


# ---------------------------------------------------------------------- cells


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-1", "@a", "\t=1", " =1", '"=1', "'=1", "＝1", "＋1", "－1", "＠a", "\tx", "\u200d=1", "−1"]
)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert safe(text).startswith("'")


@pytest.mark.parametrize("text", ["a=1", "O'Neil", "Zoë", "张伟", "", "3", "a-b", "two\nlines", "a, b"])
def test_other_text_stays_as_it_is(text):
    assert safe(text) == text


@pytest.mark.parametrize(("text", "expected"), [("a;=1", "a;'=1"), ("a\n=1", "a\n'=1"), ("a\t @x", "a\t' @x")])
def test_a_formula_is_not_hidden_behind_another_separator(text, expected):
    assert safe(text) == expected


def test_control_characters_and_direction_marks_are_shown():
    assert visible("a\x1b[31m\u202eb\x00\ud800\uffff\r") == r"a\x1b[31m\u202eb\x00\ud800\uffff\x0d"


def test_letters_that_need_joiners_and_line_ends_stay():
    assert visible("می\u200cخواهم\r\nb\tc") == "می\u200cخواهم\nb\tc"


@pytest.mark.parametrize(("value", "text"), [(None, ""), (0.0, "0"), (-0.0, "0"), (70.0, "70"), (2 / 3, "0.666667")])
def test_numbers_are_short_and_missing_is_not_zero(value, text):
    assert number(value) == text


# ---------------------------------------------------------------------- tables


def test_every_student_has_a_row_with_the_name_in_it(db):
    rows = table(made("csv", db)[0])
    names = [*ODD_NAMES, "Student 13", "Student 14"]
    assert [row["name"] for row in rows] == [safe(name) for name in names]


def test_no_cell_of_a_table_begins_as_a_formula(db):
    for name in ("csv", "checks"):
        cells = [cell for row in table(made(name, db)[0]) for cell in row.values()]
        assert [cell for cell in cells if cell.strip(" \t\n\"'")[:1] in ("=", "+", "@") and cell[0] != "'"] == []


def test_negative_numbers_of_ours_stay_numbers(tmp_path):
    with make_class(tmp_path / "grades.db", 1, missing=0) as grades:
        grades.adjust(Adjustment(student="s00000", points=-1.5, automatic=70.0, made_at=DUE))
    assert table(made("csv", tmp_path / "grades.db")[0])[0]["points"] == "-1.5"


def test_a_name_is_a_name_even_where_it_looks_like_a_number(db):
    assert table(made("csv", db)[0])[7]["name"] == "'-1"


def test_who_handed_nothing_in_is_blank_and_not_zero(db):
    row = table(made("csv", db)[0])[-1]
    known = {"student_id": "s00014", "name": "Student 14", "email": "s00014@example.org", "status": "missing"}
    assert {name: value for name, value in row.items() if value} == known | {"max_points": "100"}


def test_decisions_by_hand_and_lateness_are_in_the_row(db):
    rows = table(made("csv", db)[0])
    facts = ("points", "automatic", "before_late", "seconds_late", "penalty", "softmax", "comments")
    assert [rows[0][fact] for fact in facts[:-1]] == ["69.5", "70", "69.5", "0", "0", "5.5"]
    assert rows[0]["comments"] == "softmax/values: =1+1, see me"
    assert [rows[1][fact] for fact in facts] == ["50", "25", "50", "0", "0", "4", "oral exam"]
    assert [rows[7][fact] for fact in facts[:-2]] == ["22.05", "24.5", "24.5", "3600", "0.1"]


def test_a_check_has_a_row_with_its_own_decision(db):
    rows = table(made("checks", db)[0])
    one = next(row for row in rows if (row["exercise"], row["check"]) == ("softmax", "values"))
    assert (one["points"], one["max_points"], one["automatic"], one["verdict"]) == ("0.5", "1", "1", "passed")
    named = next(row for row in rows if row["mistakes"])
    assert (named["student_id"], named["mistakes"]) == ("s00001", "scale-missing")
    assert len({row["student_id"] for row in rows}) == COUNT


@pytest.mark.parametrize("name", ["csv", "checks", "json"])
def test_the_same_database_gives_the_same_bytes(name, db):
    assert made(name, db)[0] == made(name, db)[0]


def test_the_mark_for_spreadsheets_comes_first_and_once(db):
    data = made("csv", db, bom=True)[0]
    assert (data[:3], data.count(b"\xef\xbb\xbf")) == (b"\xef\xbb\xbf", 1)


# ---------------------------------------------------------------------- JSON


def test_the_json_holds_the_evidence_and_the_grade(db):
    data = json.loads(made("json", db)[0])
    first, late, last = data["submissions"][0], data["submissions"][7], data["submissions"][-1]
    assert (data["schema"], len(data["submissions"])) == (2, COUNT + 2)
    assert (first["name"], first["points"], len(first["exercises"])) == (
        "=HYPERLINK(0)", 70.0, len(list(find_course().solutions)),
    )  # fmt: skip
    given = first["grade"]["adjustments"][0]
    assert (given["exercise"], given["check"], given["points"]) == ("softmax", "values", 0.5)
    assert first["grade"]["points"] == 69.5
    assert {k: late["grade"][k] for k in ("status", "points", "before_late", "penalty", "seconds_late")} == {
        "status": "graded", "points": 22.05, "before_late": 24.5, "penalty": 0.1, "seconds_late": 3600.0,
    }  # fmt: skip
    assert (last["grade"]["status"], last["grade"]["points"], last["grade"]["penalty"]) == ("missing", None, None)


def test_names_come_back_exactly_from_the_json_and_hide_nothing_on_a_terminal(db):
    data = made("json", db)[0]
    assert [each["name"] for each in json.loads(data)["submissions"]][:COUNT] == list(ODD_NAMES)
    assert not {"\x1b", "\u202e"} & set(data.decode())


# ---------------------------------------------------------------------- the command


@pytest.mark.parametrize("command", ["export", ""])
def test_help_imports_nothing_that_takes_long(command):
    code = (
        "import sys\nfrom attention_kata.cli import kata\n"
        f"kata([*{command.split()}, '--help'], standalone_mode=False)\n"
        "print({'torch', 'numpy', 'sqlite3', 'jinja2'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "set()"


def test_the_help_names_every_format(tmp_path):
    said = kata("export", "--help", cwd=tmp_path).stdout
    assert [name for name, each in FORMATS.items() if f"{name}: {each.says}" not in said] == []


def test_a_file_is_written_and_no_part_of_it_stays(db, tmp_path):
    run = kata("export", "csv", "--db", db, "--out", "all.csv", cwd=tmp_path)
    assert (run.returncode, run.stderr, [p.name for p in tmp_path.iterdir()]) == (0, "", ["all.csv"])
    assert (tmp_path / "all.csv").read_bytes() == made("csv", db)[0]


def test_a_dash_is_standard_output(db, tmp_path):
    run = kata("export", "json", "--db", db, "--out", "-", cwd=tmp_path)
    assert (run.returncode, len(json.loads(run.stdout)["submissions"])) == (0, COUNT + 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["csv", "--out", "no/such/all.csv"], "cannot be written: No such file"),
        (["csv", "--out", "."], "cannot be written"),
        (["csv", "--out", "x", "--db", "none.db"], "does not exist"),
        (["csv", "--out", "x", "--column", "a"], "--column has no meaning for csv"),
        (["canvas", "--out", "x"], "canvas needs --column"),
        (["moodle", "--out", "x"], "moodle needs --into"),
        (["gradescope", "--out", "x"], "name one with --student"),
        (["gradescope", "--out", "x", "--student", "s000000"], "did you mean 's00000'"),
        (["sap", "--out", "x"], "sap"),
    ],
)
def test_a_mistake_in_the_command_is_one_clear_line_and_exit_2(arguments, says, db, tmp_path):
    where = [] if "--db" in arguments else ["--db", db]
    run = kata("export", *arguments, *where, cwd=tmp_path)
    assert run.returncode == 2
    assert says in " ".join(run.stderr.split())
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "x").exists()


def test_what_was_there_stays_when_an_export_fails(db, tmp_path):
    (tmp_path / "x").write_text("before")
    (tmp_path / "canvas.csv").write_text("no,canvas\n1,2\n")
    run = kata("export", "canvas", "--into", "canvas.csv", "--column", "a", "--out", "x", "--db", db, cwd=tmp_path)
    assert (run.returncode, (tmp_path / "x").read_text()) == (2, "before")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["canvas.csv", "x"]


def test_every_option_belongs_to_a_format():
    options = {p.opts[-1].removeprefix("--") for p in command.params} - {"format", "out", "db"}
    assert options == set().union(*(each.options for each in FORMATS.values()))


def test_somebody_who_could_not_be_graded_is_blank(tmp_path):
    with make_class(tmp_path / "grades.db", 1, missing=0) as grades:
        grades._write("UPDATE results SET fault = 'no worker', points = 0")
    row = table(made("csv", tmp_path / "grades.db")[0])[0]
    assert (row["status"], row["points"], row["automatic"]) == ("ungradable", "", "")


@pytest.mark.parametrize("id", ODD_NAMES)
def test_odd_ids_come_through_every_format_that_shows_them(tmp_path, id):
    path = tmp_path / "grades.db"
    with make_class(path, 1, missing=0) as grades:
        for name, column in (("students", "id"), ("attempts", "student"), ("results", "student")):
            grades._write(f"UPDATE {name} SET {column} = ?", id)
    assert table(made("csv", path)[0])[0]["student_id"] == safe(id)
    assert {row["student_id"] for row in table(made("checks", path)[0])} == {safe(id)}
    assert json.loads(made("json", path)[0])["submissions"][0]["student"] == id
    assert ET.fromstring(made("junit", path)[0])[0].get("name") == visible(id)
    assert json.loads(made("gradescope", path, student=id)[0])["score"] == 70.0
    assert json.loads(base64.b64decode(made("classroom", path, student=id)[0]))["status"] == "fail"
