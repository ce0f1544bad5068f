"""Copies stand out from a class, people who solve the same exercise do not, and no wording accuses anybody."""

import csv
import html
import random
import re
from html.parser import HTMLParser

import pytest
from classes import ODD_NAMES, make_class
from conftest import EXERCISES, kata
from invented import invented, reworded

from attention_kata.export.alike import as_csv, as_html
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Identity, Result, Student, now
from attention_kata.gradebook.similarity import RUN, WINDOW, Stubs, compare_class, tokens, winnow
from attention_kata.intake.packing import file_hash
from attention_kata.intake.submission import Submission
from attention_kata.judge.evidence import CourseVersion, Evidence

STUBS = Stubs.of(path.read_text("utf-8") for path in EXERCISES.glob("*.py"))
NOTHING = Stubs.of(())
NOT_RUN = Evidence(
    schema=2, course=CourseVersion("", ""), student=None, points=0, max_points=0, exercises=(), output="", isolation={}
)


def database(path, files_of):
    grades = Grades(path, create=True)
    for student, files in files_of.items():
        submission = Submission(student, files)
        identity = Identity(file_hash(submission), "", "", "")
        grades.enrol(Student(id=student))
        grades.add(
            Result(
                student=student,
                identity=identity,
                handed_in=None,
                graded_at=now(),
                seconds=0,
                torch="",
                grader="",
                points=0,
                max_points=0,
                fault="",
                evidence=NOT_RUN,
            ),
            submission,
        )
    return grades


def compared(tmp_path, files_of, least=0.6):
    with database(tmp_path / "grades.db", files_of) as grades:
        return compare_class(grades, STUBS, least)


def names(found):
    return [(*pair.first, *pair.second) for pair in found.pairs]


@pytest.fixture(scope="module")
def students():
    return {f"s{i:03}": invented(i) for i in range(60)}


def copied(files, chance=0, *, changed=0):
    """The same answers with other names, comments and layout, and with one of `changed` lines left out."""
    picked = random.Random(chance)
    texts = {name: reworded(text, picked) for name, text in files.items()}
    if changed:
        lines = {name: text.splitlines(keepends=True) for name, text in texts.items()}
        texts = {name: "".join(line for line in each if picked.randrange(changed)) for name, each in lines.items()}
    return texts


def said(text, stubs=NOTHING):
    return [each for each, _ in tokens({"a.py": text}, stubs)]


# ---------------------------------------------------------------------- what is compared


@pytest.mark.parametrize(
    "other",
    [
        "w = q @ k.mT  # scaled",
        "w=q@k.mT",
        '"""Doc."""\nw = (\n q) @ k.mT'.replace("(\n q)", "q"),
        "logits = one @ two.mT",
    ],
)
def test_layout_comments_docstrings_and_own_names_do_not_matter(other):
    assert said(other) == said("w = q @ k.mT")


@pytest.mark.parametrize(
    "other", ["w = q * k.mT", "w = q @ k.T", "w = q @ k.mT / 2", "return q @ k.mT", "w = len @ k.mT"]
)
def test_what_is_computed_does_matter(other):
    assert said(other) != said("w = q @ k.mT")


def test_the_stubs_own_lines_are_taken_away():
    stub = (EXERCISES / "attention.py").read_text("utf-8")
    assert said(stub, STUBS) == []
    assert said(stub + "\nw = q @ k\n", STUBS) == ["v", "=", "v", "@", "v"]


@pytest.mark.parametrize("text", ["def f(:\n  x = (1,\n", "'open\nx = 1", '"""open', "\ud800é = 1", "x = 'a\\", "\x00"])
def test_what_does_not_parse_is_compared_too(text):
    assert isinstance(said(text), list)


def test_lines_are_counted_on_from_file_to_file():
    files = {"b.py": "y = 2\n", "a.py": 'x = """\n\n"""\nz = 3\n'}
    assert [(t, line) for t, line in tokens(files, NOTHING) if t.isdigit()] == [("3", 4), ("2", 5)]


def test_whatever_two_texts_share_for_long_enough_shares_a_print():
    chance = random.Random(1)
    passage = [(str(chance.random()), 0) for _ in range(RUN + WINDOW - 1)]
    for seed in range(50):
        noise = random.Random(seed)
        one, two = ([(str(noise.random()), 0) for _ in range(noise.randrange(30))] for _ in range(2))
        prints = [set(winnow([*each, *passage, *each])[0].tolist()) for each in (one, two)]
        assert prints[0] & prints[1]


# ---------------------------------------------------------------------- what is named


def test_a_class_of_many_right_answers_names_nobody(tmp_path, students):
    found = compared(tmp_path, students)
    assert (found.students, found.pairs, found.same) == (60, (), ())


def test_a_copy_in_other_words_is_the_same_text(tmp_path, students):
    found = compared(tmp_path, students | {"copy": copied(students["s007"])})
    assert (names(found), found.same) == ([], (("copy", "s007"),))


def test_a_copy_with_lines_left_out_is_named(tmp_path, students):
    found = compared(tmp_path, students | {"copy": copied(students["s007"], changed=12)})
    assert names(found) == [("copy", "s007")]
    assert 0.6 <= found.pairs[0].alike < 1
    assert found.level < 0.6


def test_the_least_that_is_asked_for_holds(tmp_path, students):
    assert compared(tmp_path, students | {"copy": copied(students["s007"], changed=12)}, least=0.99).pairs == ()


def test_a_ring_of_the_same_text_is_one_group(tmp_path, students):
    ring = {f"ring{i}": copied(students["s007"], i) for i in range(20)}
    found = compared(tmp_path, students | ring)
    assert [len(group) for group in found.same] == [21]
    assert found.texts == 60


def test_what_many_of_a_class_have_counts_for_nothing(tmp_path, students):
    given = "\n".join(f"    x{i} = torch.roll(part, {i}).cumsum({i}) - torch.exp({i} * y)" for i in range(200))
    with_given = {name: {**files, "given.py": f"def given():\n{given}\n"} for name, files in students.items()}
    assert compared(tmp_path, with_given).pairs == ()


def test_a_short_answer_that_is_the_same_is_not_named(tmp_path):
    same = {f"s{i}": {"attention.py": "def softmax(x):\n    e = x.exp()\n    return e / e.sum(-1)\n"} for i in range(4)}
    found = compared(tmp_path, same, least=0)
    assert (found.pairs, found.same) == ((), ())


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_class_of_hardly_anybody_is_no_error(tmp_path, count):
    found = compared(tmp_path, {f"s{i}": invented(i) for i in range(count)})
    assert (found.students, found.pairs) == (count, ())


def test_the_same_class_gives_the_same_pairs(tmp_path, students):
    files_of = students | {"copy": copied(students["s007"], changed=12)}
    (tmp_path / "again").mkdir()
    assert compared(tmp_path, files_of) == compared(tmp_path / "again", files_of)


# ---------------------------------------------------------------------- what is written


class Cells(HTMLParser):
    """Cells, marked texts and tags of a page, as a browser reads them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.marked, self.text = set(), [], []
        self._in_mark = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self._in_mark = tag == "mark"

    def handle_endtag(self, tag):
        self._in_mark = False

    def handle_data(self, data):
        self.text.append(data)
        if self._in_mark:
            self.marked.append(data)


@pytest.fixture
def odd(tmp_path, students):
    """Two who are alike, with odd names and odd text in their files."""
    one = students["s007"] | {"heads.py": "# <script>alert(1)</script> \x1b[31m \u202e {{ 7 * 7 }}\n"}
    return database(tmp_path / "grades.db", students | {"=<b>1;2": one, "\x1b[31m": copied(one, changed=12)})


def test_the_page_escapes_everything_and_marks_what_is_common(odd):
    with odd as grades:
        found = compare_class(grades, STUBS, 0.6)
        page = Cells(b"".join(as_html(found, grades, STUBS, "a note")).decode())
    assert page.tags <= {"html", "meta", "title", "style", "h1", "h2", "p", "table", "tr", "td", "mark"}
    text = "".join(page.text)
    assert "# <script>alert(1)</script> \\x1b[31m \\u202e {{ 7 * 7 }}" in text
    assert "=<b>1;2" in text
    assert len(page.marked) > 20
    assert not any("alert" in line for line in page.marked)


def test_the_table_is_no_formula_and_can_be_read_again(odd):
    with odd as grades:
        found = compare_class(grades, STUBS, 0.6)
    rows = list(csv.DictReader(b"".join(as_csv(found)).decode().splitlines()))
    pair = next(row for row in rows if "b>1" in row["one"] + row["other"])
    assert "'=<b>1;2" in (pair["one"], pair["other"])
    assert 60 <= float(pair["alike"]) <= 100
    assert all("\x1b" not in cell for row in rows for cell in row.values())


def test_the_program_says_how_little_it_can_tell_and_accuses_nobody(tmp_path):
    make_class(tmp_path / "grades.db", len(ODD_NAMES), missing=1).close()
    run = kata("similarity", cwd=tmp_path)
    said = " ".join(run.stdout.split())
    assert run.returncode == 0, run.stderr
    assert "a reason to look and to ask, nothing more" in said
    assert "the same except for layout, comments and names: s00000, s00005, s00010" in said
    assert re.search(r"cheat|plagia|copied|copying|suspic|dishonest|misconduct|guilty", said, re.IGNORECASE) is None


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.html"])
def test_a_file_is_written_beside_the_table(tmp_path, name):
    make_class(tmp_path / "grades.db", 6, missing=0).close()
    run = kata("similarity", "--least", "0", "--out", name, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "s00000, s00005" in html.unescape((tmp_path / name).read_text()).replace(",s", ", s")
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--out", "a.txt"], "ends in .csv or .html"), (["--db", "none.db"], "does not exist"),
     (["--least", "101"], "101"),
     (["--out", "no/a.csv"], "cannot be written")],
)  # fmt: skip
def test_a_mistake_in_the_command_is_one_clear_line_and_exit_2(tmp_path, arguments, says):
    make_class(tmp_path / "grades.db", 2, missing=0).close()
    run = kata("similarity", *arguments, cwd=tmp_path)
    assert (run.returncode, says in " ".join(run.stderr.split()), "Traceback" in run.stderr) == (2, True, False)
