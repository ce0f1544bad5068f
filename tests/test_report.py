"""Reports: what they count, and that nothing hostile or hidden comes through."""

import csv
import json
import re
import unicodedata
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from classes import DUE, ODD_NAMES, examples, make_class
from conftest import kata
from hostile_class import HOSTILE, make_hostile_class, result
from markdown_it import MarkdownIt
from msgspec import convert, structs, to_builtins

from attention_kata.files import replace_file
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Handed, Status, Student
from attention_kata.gradebook.standing import Standing, standings
from attention_kata.judge import words
from attention_kata.judge.evidence import CheckEvidence, ExerciseEvidence
from attention_kata.judge.recognise import Confidence
from attention_kata.judge.score import evidence_of
from attention_kata.key.model import Mistake
from attention_kata.messages.render import Voice, render
from attention_kata.messages.said import said
from attention_kata.messages.templates import IN_GENERAL, Audience
from attention_kata.report.feedback import feedback_for
from attention_kata.report.folder import file_stem, write_feedback
from attention_kata.report.format import span
from attention_kata.report.gather import gather
from attention_kata.report.glance import Glance, spread
from attention_kata.report.heats import MAX_HEATS, Heats
from attention_kata.report.items import Items
from attention_kata.report.markdown import as_markdown
from attention_kata.report.mistakes import Mistakes
from attention_kata.report.page import class_page
from attention_kata.report.rows import Rows
from attention_kata.report.statistics import Discrimination
from attention_kata.sandbox.observation import Raised
from attention_kata.text import markdown, on_one_line, script_json, visible

PUBLIC = Voice(Audience.PUBLIC, files=frozenset({"attention.py", "heads.py"}))

# ---------------------------------------------------------------------- small classes, by hand


def check(id, points, most=1.0, **more):
    facts = {
        "id": id, "category": "values", "title": id, "verdict": "passed" if points else "failed", "points": points,
        "max_points": most, "mistakes": [], "confidence": "", "message": "" if points else "It is wrong.", "hint": "",
        "details": {"first_mismatch": "", "shape": "", "heat": None}, "learner_line": None, "seconds": 0.0,
    }  # fmt: skip
    return convert({**facts, **more}, CheckEvidence)


def exercise(id, *checks):
    points, most = sum(c.points for c in checks), sum(c.max_points for c in checks)
    return ExerciseEvidence(id=id, file=f"{id}.py", points=points, max_points=most, not_started=False, checks=checks)


def graded(id, *exercises):
    own = result(id, list(exercises))
    return Standing(
        student=Student(id=id),
        status=Status.GRADED,
        max_points=own.max_points,
        automatic=own.points,
        before_late=own.points,
        points=own.points,
        result=own,
    )


FOUR = [  # pass and fail of three checks
    graded("a", exercise("e", check("1", 2.0, 2.0), check("2", 1.0), check("3", 0.0))),
    graded("b", exercise("e", check("1", 2.0, 2.0), check("2", 0.0), check("3", 0.0))),
    graded("c", exercise("e", check("1", 0.0, 2.0), check("2", 1.0), check("3", 0.0))),
    graded("d", exercise("e", check("1", 0.0, 2.0), check("2", 0.0), check("3", 0.0))),
]


def gathered(collector, rows, *, indexed=False):
    for index, row in enumerate(rows):
        collector.add(index, row) if indexed else collector.add(row)
    return collector


def test_the_class_is_counted_by_status_and_who_has_no_grade_is_not_zero():
    missing = Standing(student=Student(id="m"), status=Status.MISSING, max_points=4.0)
    glance = gathered(Glance(), [*FOUR, missing])
    assert dict(glance.statuses) == {"graded": 4, "missing": 1}
    assert sorted(glance.points) == [0.0, 1.0, 2.0, 3.0]


def test_an_exercise_has_a_mean_share_and_a_share_of_full_marks():
    full = graded("f", exercise("e", check("1", 2.0, 2.0), check("2", 1.0), check("3", 1.0)))
    share = gathered(Glance(), [*FOUR, full]).exercises["e"].share
    assert (share.count, share.mean, share.full_share) == (5, (3 + 2 + 1 + 0 + 4) / 20, 0.2)


def test_a_category_has_a_mean_share_over_all_its_checks():
    row = graded("a", exercise("e", check("1", 3.0, 3.0), check("2", 0.0)), exercise("f", check("1", 0.0, 4.0)))
    share = gathered(Glance(), [row]).categories["values"]
    assert (share.mean, share.full_share) == (3 / 8, 0.0)


def test_the_spread_has_quartiles_between_values_and_bars_that_hold_everybody():
    found = spread(Glance(points=[0.0, 4.9, 5.0, 50.0, 100.0, 100.0, -1.0], max_points=100.0))
    assert (found.lowest, found.lower, found.median, found.upper, found.highest) == (-1.0, 2.45, 5.0, 75.0, 100.0)
    assert {(bar.low, bar.high): bar.count for bar in found.bars if bar.count} == {
        (0.0, 5.0): 3, (5.0, 10.0): 1, (50.0, 55.0): 1, (95.0, 100.0): 2,
    }  # fmt: skip
    assert found.mean == pytest.approx(258.9 / 7)


def test_more_points_than_there_are_widen_the_histogram():
    glance = Glance(points=[120.0], max_points=100.0)
    found = spread(glance)
    assert (found.top, found.bars[-1].count) == (120.0, 1)


def test_nobody_with_points_has_no_spread():
    assert spread(Glance()) is None


def test_discrimination_is_the_correlation_with_the_rest():
    items = gathered(Items(), FOUR).items
    # check 1 passes a, b; the rest of the points are 1, 0, 1, 0: no relation
    assert items["e", "1"].discrimination.value == 0.0
    assert items["e", "1"].remark == ""
    assert (items["e", "1"].passed, items["e", "1"].count) == (2, 4)


def test_discrimination_is_that_of_numpy():
    random = np.random.default_rng(1)
    points = np.where(random.uniform(size=(60, 5)) < (0.2, 0.4, 0.5, 0.7, 0.9), (1.0, 2.5, 0.5, 3.0, 1 / 3), 0.0)
    points += random.uniform(size=(60, 1)) > 0.5  # somebody strong is so in all
    for column in range(5):
        found, passed = Discrimination(), points[:, column] > 1
        rest = points.sum(1) - points[:, column]
        for p, r in zip(passed, rest, strict=True):
            found.add(bool(p), float(r))
        if 0 < passed.sum() < 60:
            assert found.value == pytest.approx(np.corrcoef(passed, rest)[0, 1], abs=1e-6)


@pytest.mark.parametrize("outcomes", [[(True, 1.0), (True, 2.0)], [(False, 1.0)], [(True, 0.1), (False, 0.1)], []])
def test_discrimination_is_undefined_without_a_difference(outcomes):
    found = Discrimination()
    for passed, rest in outcomes:
        found.add(passed, rest)
    assert found.value is None


def test_a_check_that_nobody_or_everybody_passes_is_pointed_out():
    rows = [graded(id, exercise("e", check("1", 1.0), check("2", 0.0))) for id in "ab"]
    remarks = [item.remark for item in gathered(Items(), rows).items.values()]
    assert remarks == ["everybody passes", "nobody passes"]


def test_a_check_that_could_not_be_run_is_not_counted():
    rows = [*FOUR, graded("u", exercise("e", check("1", 0.0, 2.0, verdict="ungradable"), check("2", 1.0)))]
    assert gathered(Items(), rows).items["e", "1"].count == 4


def test_a_student_counts_once_for_a_mistake_made_twice():
    wrong = check("1", 0.0, mistakes=["m"], confidence="likely", learner_line=7)
    twice = graded("a", exercise("e", wrong, wrong), exercise("f", wrong))
    once = graded("b", exercise("f", structs.replace(wrong, confidence=Confidence.EXACT)))
    (ranked,) = gathered(Mistakes(), [twice, once], indexed=True).ranked({"m": Mistake("m", "You do.", "Do you?")})
    assert (ranked.message, ranked.question, ranked.made.count, ranked.made.unsure) == ("You do.", "Do you?", 2, 1)
    assert dict(ranked.made.exercises) == {"e": 1, "f": 2}
    assert [(p.exercise, p.where) for p in ranked.made.makers[0].places] == [
        ("e", "e.py, line 7"),
        ("f", "f.py, line 7"),
    ]


def test_mistakes_are_ranked_by_how_many_make_them():
    rows = [
        graded(id, exercise("e", check("1", 0.0, mistakes=ids)))
        for id, ids in zip("abc", (["m"], ["n", "m"], ["n"]), strict=True)
    ]
    rows.append(graded("d", exercise("e", check("1", 0.0, mistakes=["n"]))))
    assert [r.id for r in gathered(Mistakes(), rows, indexed=True).ranked({})] == ["n", "m"]


def heat(name="scores", value=1.0):
    numbers = {"expected": [[value, 0.0]], "found": [[0.0, None]]}
    return {"first_mismatch": "", "shape": "", "heat": {"name": name, "rows": "T", "columns": "S", "at": "", **numbers}}


def test_one_heat_map_stands_for_each_way_of_going_wrong():
    def wrong(name, **more):
        return check(name, 0.0, mistakes=["m"], **more)

    rows = [
        graded(id, exercise("e", wrong("1", details=heat()), wrong("2", details=heat("weights")))) for id in ("a", "b")
    ]
    found = gathered(Heats(), rows)
    assert [(way.check, way.student, way.students) for way in found.chosen()] == [("2", "a", 2)]
    assert found.failures == 4


def test_heat_maps_are_bounded_and_those_of_most_students_stay():
    rows = [graded(f"s{i}", exercise("e", check("1", 0.0, message=f"{i}.", details=heat()))) for i in range(300)]
    rows.append(graded("last", exercise("e", check("1", 0.0, message="299.", details=heat()))))
    chosen = gathered(Heats(), rows).chosen()
    assert (len(chosen), chosen[0].students) == (MAX_HEATS, 2)


def test_a_large_class_keeps_all_rows_and_the_details_of_some():
    rows = gathered(Rows(3000), [graded(f"s{i}", *FOUR[0].exercises) for i in range(3000)], indexed=True)
    assert (len(rows.rows), len(rows.details), rows.without_details) == (3000, 600, 2400)


# ---------------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred", "a\\x1b[31mred"),
        ("\u202eright", "\\u202eright"),
        ("two\nlines", "two\\nlines"),
        ("tab\there", "tab\\there"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
        ("Zoë 张伟 می\u200cخواهم", "Zoë 张伟 می\u200cخواهم"),
        ("x" * 3000, "x" * 2000 + "…"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text, shown):
    assert on_one_line(text) == shown


def test_several_lines_stay_several():
    assert visible("a\nb\r") == "a\nb\\x0d"


MARKDOWN = (
    "1. a", "- a", "+ a", "# a", "> a", "    a", "a\n===", "*a*", "&lt;", "a\\", "|a|\n|-|", "~~a~~", "$a$", "`a`",
    "[a]: http://example.org", "<http://example.org>", "http://example.org www.example.org a@example.org",
    *ODD_NAMES, HOSTILE,
)  # fmt: skip


@pytest.mark.parametrize("text", MARKDOWN)
@pytest.mark.parametrize("where", ["For {}", "- {}", "**{}**", "{}"])
def test_markdown_shows_the_text_and_nothing_else(text, where):
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(where.format(markdown(text)))
    inline = [child for token in tokens if token.type == "inline" for child in token.children]
    kinds = {token.type for token in inline} - {"strong_open", "strong_close"}
    assert kinds <= {"text", "text_special"}
    assert "".join(t.content for t in inline) == where.replace("- ", "").replace("**", "").format(
        " ".join(visible(text).split())
    )


def test_json_cannot_end_its_script():
    text = script_json({"a": HOSTILE})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"a": HOSTILE}


def test_a_span_is_said_in_its_two_largest_units():
    assert [span(s) for s in (0, 5, 60, 90000, 2 * 604800)] == [
        "", "less than a minute", "1 minute", "1 day 1 hour", "2 weeks",
    ]  # fmt: skip


# ---------------------------------------------------------------------- file names

IDS = (
    "ada", "Ada", "ADA", "", ".", "..", "../../etc/passwd", "a/b", "a\\b", "CON", "con", "con.txt", "nul", "lpt1",
    "é", "e\u0301", "ﬁ", "fi", "a" * 300, "a" * 301, "a.", "a ", "a", "ª", "\ud800", "\x00", "张伟", "index", "-x",
    "ada~" + "0" * 20, "ß", "ss", "İ", "i", *ODD_NAMES,
)  # fmt: skip


def test_no_two_students_share_a_file_on_any_file_system():
    def folded(name):
        return unicodedata.normalize("NFKD", name).casefold()

    stems = [file_stem(id) for id in dict.fromkeys(IDS)]
    assert len({folded(stem) for stem in stems}) == len(stems)


@pytest.mark.parametrize("id", IDS)
def test_a_file_name_is_safe_everywhere(id):
    stem = file_stem(id)
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}(~[0-9a-f]{20})?", stem)
    assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)", stem)


def test_an_ordinary_id_is_its_own_file_name():
    assert file_stem("s00001") == "s00001"


# ---------------------------------------------------------------------- what a student may be told


def test_the_words_of_the_catalogue_are_passed_on():
    assert check("1", 0.0, message="You attend.", mistakes=["m"]).told(PUBLIC) == "You attend."


@pytest.mark.parametrize(("line", "told"), [(14, 14), (0, None), (None, None), (1234567890, None)])
def test_a_line_is_passed_on_where_it_can_be_one(line, told):
    assert check("1", 0.0, learner_line=line).public_line == told


def test_no_message_of_the_example_class_falls_back_to_general_words():
    """New wording in the grader needs a decision here."""
    general = {render(said(id)) for id in IN_GENERAL}
    evidence = [evidence_of(found) for _, found in examples().values()]
    told = [check.told(e.for_student()) for e in evidence for _, check in e.checks if not check.passed]
    assert len(told) > 50
    assert [text for text in told if text in general or not text] == []


# ---------------------------------------------------------------------- whole reports


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    with make_hostile_class(tmp_path_factory.mktemp("class") / "grades.db") as grades:
        yield grades


@pytest.fixture(scope="module")
def hostile_page(hostile):
    return "".join(class_page(gather(hostile), "today"))


@pytest.fixture(scope="module")
def hostile_folder(hostile, tmp_path_factory):
    out = tmp_path_factory.mktemp("feedback") / "out"
    write_feedback(hostile, out, ("html", "markdown"))
    return out


class Elements(HTMLParser):
    """Elements, attributes and text of a page, as a browser finds them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attrs]

    def handle_data(self, data):
        self.texts.append(data)


def pages(folder):
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.html"))]


def test_a_page_holds_no_element_of_a_student(hostile_page, hostile_folder):
    for page, scripts in [(hostile_page, 2), *((page, 0) for page in pages(hostile_folder))]:
        found = Elements(page)
        assert (found.tags.count("script"), found.tags.count("img"), found.tags.count("style")) == (scripts, 0, 1)
        assert [a for a in found.attributes if a[1].startswith("on") or a[1] == "style"] == []


def test_a_page_leads_nowhere_outside(hostile_page, hostile_folder):
    for page in (hostile_page, *pages(hostile_folder)):
        links = [value for _, name, value in Elements(page).attributes if name in ("href", "src", "action", "data")]
        assert [link for link in links if not re.fullmatch(r"#[\w-]+", link)] == []


def test_control_codes_and_bidi_overrides_are_nowhere(hostile_page, hostile_folder):
    texts = [hostile_page, *(p.read_text("utf-8") for p in hostile_folder.iterdir())]
    assert [c for text in texts for c in text if c in "\x1b\u202e\x00"] == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_odd_name_is_shown_as_it_is(name, hostile_page, hostile_folder):
    student = f"s{ODD_NAMES.index(name):05}"
    shown = on_one_line(name)
    page = (hostile_folder / f"{student}.html").read_text("utf-8")
    assert [shown in Elements(text).texts for text in (hostile_page, page)] == [True, True]
    said = MarkdownIt().parse((hostile_folder / f"{student}.md").read_text("utf-8"))
    assert f"For {shown} ({student})" in ["".join(c.content for c in t.children) for t in said if t.type == "inline"]


def test_templates_in_a_name_are_not_run(hostile_page):
    assert "{{ 7 * 7 }}" in hostile_page


def test_everybody_has_a_status_and_a_row(hostile, hostile_page):
    count = sum(1 for _ in hostile.students())
    assert len(re.findall(r'<tr data-t="\w+"', hostile_page)) == count
    assert {row.status for row in standings(hostile)} == {"graded", "missing", "unreadable", "ungradable", "waiting"}


@pytest.mark.parametrize(
    "text",
    [
        "6 of 22 graded", "half of it is right", "outdated: it gives 0 now", "Not on the roster: 2", "Unreadable: 1",
        "Several attempts: 2", "(this one counts)", "per-day 10% cap 50%", "2026-12-01 23:59 UTC", "on (Landlock",
    ],
)  # fmt: skip
def test_the_report_says(text, hostile_page):
    assert text in " ".join("".join(Elements(hostile_page).texts).split())


def test_headings_are_in_order_and_header_cells_have_a_scope(hostile_page, hostile_folder):
    for page in (hostile_page, *pages(hostile_folder)):
        found = Elements(page)
        levels = [int(tag[1]) for tag in found.tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1
        assert all(b <= a + 1 for a, b in pairwise(levels))
        assert found.tags.count("th") == sum(a[:2] == ("th", "scope") for a in found.attributes)


def test_a_type_that_is_no_name_is_none():
    error = Raised("call", "x 0.31415926 holds numbers that are not finite.", "", None, None)
    assert render(words.raised(error).message).startswith("An exception without a name")


def test_an_empty_class_has_a_report_and_feedback(tmp_path):
    with Grades(tmp_path / "grades.db", create=True) as grades:
        assert "Nobody has points yet" in "".join(class_page(gather(grades), "today"))
        assert write_feedback(grades, tmp_path / "out", ("html",)) == 0


# ---------------------------------------------------------------------- nothing hidden in feedback


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """A class of ordinary names that cannot be part of another text, and its feedback."""
    folder = tmp_path_factory.mktemp("quiet")
    with make_class(folder / "grades.db", 10, names=[f"Given{i} Family{i}x" for i in range(11)]) as grades:
        write_feedback(grades, folder / "out", ("html", "markdown"))
        yield grades, folder / "out"


def body(path):
    text = path.read_text("utf-8")
    return text[text.index("<body>") :] if path.suffix == ".html" else text.replace("\\", "")


def hidden_numbers(row):
    """Numbers with two decimals or more in the details of a student's evidence."""
    found = set()
    for exercise in row.exercises:
        for each in exercise.checks:
            found |= set(re.findall(r"\d+\.\d\d+", json.dumps(to_builtins(each.details))))
    return found


@pytest.mark.parametrize("ending", [".html", ".md"])
def test_no_expected_or_found_number_is_in_feedback(ending, quiet):
    grades, out = quiet
    rows = [row for row in standings(grades) if row.exercises]
    assert sum(len(hidden_numbers(row)) for row in rows) > 500
    for row in rows:
        shown = set(re.findall(r"\d+\.\d+", body(out / (row.id + ending))))
        assert shown & hidden_numbers(row) == set()


@pytest.mark.parametrize("ending", [".html", ".md"])
def test_nobody_else_and_no_key_is_in_feedback(ending, quiet):
    grades, out = quiet
    everybody = list(standings(grades))
    for row in everybody:
        text = body(out / (row.id + ending))
        assert [o.id for o in everybody if o is not row and (o.id in text or o.name in text)] == []
        assert grades.setting("key") not in text


def test_what_code_could_write_is_not_in_feedback(hostile_folder):
    texts = [path.read_text("utf-8").replace("\\", "") for path in hostile_folder.iterdir()]
    assert [text for text in texts if "0.1234" in text or "5.6789" in text] == []


def test_feedback_says_points_verdict_message_question_and_line(quiet):
    text = body(quiet[1] / "s00001.html")
    expected = (
        "<strong>25</strong> of 100 points", "6.5 of 16 points", "You attend exactly where the mask says no.",
        "Say aloud what True means", "attention.py, line 14", "not yet",
    )  # fmt: skip
    assert [said for said in expected if said not in text] == []


def test_lateness_and_comments_are_said_in_words(hostile):
    rows = {row.id: row for row in standings(hostile)}
    late = feedback_for(rows["s00010"], "Course")
    assert late.lateness == (
        "Handed in 4 hours after the due date: 10% of the points are taken off. 70 points minus 7 leaves 63."
    )
    commented = feedback_for(rows["s00001"], "Course")
    checks = {c.title: c for e in commented.exercises if e.name == "attention" for c in e.checks}
    assert [c.comment for c in checks.values() if c.comment] == ["half of it is right"]
    assert "half of it is right" in as_markdown(commented)


def test_a_total_set_by_hand_is_said(hostile):
    row = next(row for row in standings(hostile) if row.id == "s00002")
    assert feedback_for(row, "Course").comments == (f"The total was set by hand to 90 points. {HOSTILE}",)


@pytest.mark.parametrize("id", ["unreadable", "waiting", "ungradable", "s00020"])
def test_who_has_no_grade_is_told_so_kindly_and_gets_no_zero(id, hostile_folder):
    text = body(hostile_folder / f"{id}.html")
    assert "points</p>" not in text
    assert HOSTILE[:10] not in text


# ---------------------------------------------------------------------- the folder and the program


@pytest.fixture
def small(tmp_path):
    make_class(tmp_path / "grades.db", 3, missing=1, names=()).close()
    return tmp_path


def test_the_index_says_which_file_is_whose(hostile_folder):
    rows = list(csv.DictReader((hostile_folder / "index.csv").read_text("utf-8-sig").splitlines()))
    assert [row["html"] for row in rows if not (hostile_folder / row["html"]).is_file()] == []
    assert {path.name for path in hostile_folder.glob("*.html")} == {row["html"] for row in rows}
    assert [cell for row in rows for cell in row.values() if re.match(r"\s*[=+\-@]", cell)] == []


def test_the_programs_write_what_they_say(small):
    report = kata("report", cwd=small)
    assert (report.returncode, report.stderr) == (0, "")
    assert re.fullmatch(r"report\.html: 4 students, \d\.\d MB\.\n", report.stdout)
    feedback = kata("feedback", "--out", "fb", cwd=small)
    assert (feedback.returncode, feedback.stderr) == (0, "")
    assert len(list((small / "fb").iterdir())) == 4 * 2 + 2  # the index and the mark that the folder is ours


def test_feedback_for_one_student_in_one_format(small):
    assert kata("feedback", "--out", "fb", "--student", "s00001", "--format", "markdown", cwd=small).returncode == 0
    assert sorted(p.name for p in (small / "fb").glob("s*")) == ["s00001.md"]


def test_another_format_leaves_no_old_grade_behind(small):
    kata("feedback", "--out", "fb", cwd=small)
    kata("feedback", "--out", "fb", "--format", "html", cwd=small)
    assert list((small / "fb").glob("*.md")) == []


def test_feedback_is_brought_up_to_date(small):
    kata("feedback", "--out", "fb", cwd=small)
    with Grades(small / "grades.db") as grades:
        grades.enrol(Student(id="s00001", name="A new name"))
    assert kata("feedback", "--out", "fb", cwd=small).returncode == 0
    assert "A new name" in (small / "fb" / "s00001.html").read_text("utf-8")


def one_line_of_usage(done):
    """Exit code 2 and what went wrong in one line (click frames it)."""
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    return " ".join(re.sub(r"[─│╭╮╰╯]", " ", done.stderr).split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("report", "--db", "none.db"), "none.db does not exist"),
        (("report", "--db", "text.txt"), "text.txt"),
        (("report", "--out", "no/such/folder.html"), "is not a folder"),
        (("report", "--out", "full"), "is a directory"),
        (("report", "--out", "r" * 253), "cannot be written: File name too long"),
        (("feedback",), "Missing option '--out'"),
        (("report", "--out", "/dev/full"), "cannot be written: No space left on device"),
        (("feedback", "--out", "full"), "holds other files"),
        (("feedback", "--out", "text.txt"), "is a file"),
        (("feedback", "--out", "fb", "--student", "nobody"), "there is no student 'nobody'"),
        (("feedback", "--out", "fb", "--format", "pdf"), "'pdf' is not one of"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, said, small):
    (small / "full").mkdir()
    (small / "full" / "thesis.tex").write_text("mine")
    (small / "text.txt").write_text("no database at all, but long enough to be read as one" * 100)
    assert said in one_line_of_usage(kata(*arguments, cwd=small))
    assert [p.name for p in (small / "full").iterdir()] == ["thesis.tex"]


def test_a_report_that_fails_leaves_the_old_one(tmp_path):
    def pieces():
        yield "half"
        raise KeyboardInterrupt

    page = tmp_path / "report.html"
    page.write_text("the old one")
    with pytest.raises(KeyboardInterrupt):
        replace_file(page, pieces())
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("report.html", "the old one")]


def test_an_attempt_of_nobody_on_the_roster_is_listed(tmp_path):
    with make_class(tmp_path / "grades.db", 2, missing=0) as grades:
        grades.enrol(Student(id="stranger"))
        grades.hand_in("stranger", [Handed("1", "a.zip", DUE), Handed("2", "b.zip", DUE)])
        people = gather(grades).people
    assert ([p.id for p in people.unknown.people], [p.id for p in people.waiting.people]) == (["stranger"],) * 2
    assert people.repeated.people[0].notes[-1].endswith("(this one counts)")


def test_the_page_of_somebody_who_is_called_otherwise_now_goes_and_other_files_stay(tmp_path):
    out = tmp_path / "fb"
    with make_class(tmp_path / "grades.db", 2, missing=0) as grades:
        write_feedback(grades, out, ("html", "markdown"))
        (out / "notes.md").write_text("mine")
        with (out / "index.csv").open("a") as index:
            index.write("x,x,graded,../grades.db,notes.txt\n")
        grades.enrol(Student(id="m1"))
        grades.rename("s00000", "m1")
        write_feedback(grades, out, ("html", "markdown"), {"m1"})
    assert {path.name for path in out.iterdir() if path.suffix in (".html", ".md")} == {
        "m1.html", "m1.md", "s00001.html", "s00001.md", "notes.md",
    }  # fmt: skip
    assert (tmp_path / "grades.db").exists()


def test_no_cell_of_the_index_is_a_formula_behind_a_blank_or_a_separator(tmp_path):
    with make_class(tmp_path / "grades.db", 2, missing=0, names=(" =1+1", "a;=1+1")) as grades:
        write_feedback(grades, tmp_path / "fb", ("markdown",))
    rows = list(csv.DictReader((tmp_path / "fb" / "index.csv").read_text("utf-8-sig").splitlines()))
    assert [row["name"] for row in rows] == ["' =1+1", "a;'=1+1"]
