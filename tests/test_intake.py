"""Whatever shape a class comes in, every student's newest attempt is found, and nothing else is."""

import unicodedata
import zipfile
from datetime import UTC, datetime

import pytest
from conftest import FOLDER, write
from hypothesis import given, settings
from hypothesis import strategies as st
from intake_files import notebook, noted, tar_bytes, zip_bytes

from attention_kata.course.find import find_course
from attention_kata.intake import LAYOUTS, IntakeError, find_submissions
from attention_kata.intake.tree import is_left_out
from attention_kata.judge.grading import grade
from attention_kata.key.file import load_key
from attention_kata.messages.render import render
from attention_kata.text import natural, plain

TOPICS = ("attention.py", "heads.py")
EXERCISES = {"softmax": "attention.py", "attention": "attention.py", "split_heads": "heads.py"}
SOFTMAX = "def softmax(x, dim=-1):\n    return x\n"
HEADS = "from attention import softmax\n\n\ndef split_heads(x, n):\n    return softmax(x)\n"
BOTH = f"{HEADS}\n\n{SOFTMAX}"
CANVAS_1 = "lovelaceada_1001_77_attention.py"


def found(path, layout=None, assignment=None):
    return find_submissions(path, TOPICS, layout, assignment)


def read(attempt):
    return attempt.read(TOPICS, EXERCISES)


def one(path, **options):
    """The only attempt there is, read."""
    [attempt] = found(path, **options).attempts
    return read(attempt)


def refused(path, **options):
    with pytest.raises(IntakeError) as caught:
        found(path, **options)
    message = str(caught.value)
    assert message.isprintable()
    return message.replace(str(path), "PATH")


def students(intake):
    return [attempt.student for attempt in intake.attempts]


def imported(submission, monkeypatch):
    """The topic modules, imported as a worker does: from memory, by name."""
    import importlib
    import sys

    from attention_kata.worker.load import SubmissionFinder

    finder = SubmissionFinder({name: text.encode() for name, text in submission.files.items()})
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    for name in ("attention", "heads", "helpers", "solution"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    modules = [importlib.import_module(topic.removesuffix(".py")) for topic in TOPICS]
    for name in ("attention", "heads", "helpers", "solution"):
        sys.modules.pop(name, None)
    return modules


# ---------------------------------------------------------------------- folders


@pytest.mark.parametrize("place", ["", "exercises/", "repo/src/", "Ada's folder, 1/"])
def test_topic_files_are_found_flat_and_nested(tmp_path, place):
    write(tmp_path, {f"ada/{place}attention.py": SOFTMAX, f"ada/{place}heads.py": HEADS})
    submission = one(tmp_path)
    assert {topic: submission.files[topic] for topic in TOPICS} == {"attention.py": SOFTMAX, "heads.py": HEADS}
    assert not submission.problems


def test_a_helper_beside_a_nested_topic_file_can_be_imported(tmp_path, monkeypatch):
    write(tmp_path, {"ada/src/attention.py": "from helpers import two\n" + SOFTMAX, "ada/src/helpers.py": "two = 2\n"})
    write(tmp_path, {"ada/src/heads.py": HEADS})
    attention, _ = imported(one(tmp_path), monkeypatch)
    assert attention.two == 2


def test_of_two_files_of_one_name_the_one_nearest_the_top_is_graded_and_that_is_noted(tmp_path):
    write(tmp_path, {"ada/a/old/attention.py": "x = 1\n", "ada/new/attention.py": SOFTMAX, "ada/heads.py": HEADS})
    submission = one(tmp_path)
    assert submission.files["attention.py"] == SOFTMAX
    assert noted(submission) == ("attention.py occurs 2 times: new/attention.py is graded, not a/old/attention.py.",)


def test_a_missing_topic_is_a_problem(tmp_path):
    write(tmp_path, {"ada/attention.py": SOFTMAX})
    assert render(one(tmp_path).problems["heads.py"].message) == "heads.py is missing from ada."


def test_what_systems_leave_behind_is_left_out_silently(tmp_path):
    left = [".git/x.py", "__MACOSX/ada/attention.py", ".DS_Store/y.py", "ada/.venv/z.py", "ada/env/lib/attention.py"]
    write(tmp_path, dict.fromkeys([*left, "ada/__pycache__/attention.py"], "x = 1\n"))
    write(tmp_path, {"ada/env/pyvenv.cfg": "", "ada/deep/heads.py": HEADS, "bob/attention.py": SOFTMAX})
    intake = found(tmp_path)
    assert (students(intake), noted(intake)) == (["ada", "bob"], ())
    assert set(read(intake.attempts[0]).files) == {"heads.py", "deep/heads.py"}


def test_a_link_to_a_folder_is_left_out_with_a_note(tmp_path):
    write(tmp_path, {"ada/attention.py": SOFTMAX})
    (tmp_path / "bob\n").symlink_to(tmp_path / "ada")
    intake = found(tmp_path)
    assert students(intake) == ["ada"]
    assert noted(intake) == ("bob\\n is a link, not a folder or file of its own: left out.",)


@pytest.mark.parametrize("target", ["../ada/attention.py", "/etc/passwd"])
def test_a_link_to_another_students_file_is_not_followed(tmp_path, target):
    write(tmp_path, {"ada/attention.py": SOFTMAX, "bob/deep/x.txt": ""})
    (tmp_path / "bob" / "deep" / "attention.py").symlink_to(target if target.startswith("/") else f"../{target}")
    problem = read(found(tmp_path).attempts[1]).problems["attention.py"]
    assert render(problem.message) == "deep/attention.py is a link that leads out of the folder."


def test_a_folder_with_topic_files_looks_like_one_submission(tmp_path):
    write(tmp_path, {"attention.py": SOFTMAX, "more/x.py": ""})
    assert refused(tmp_path) == (
        "PATH holds attention.py, so it looks like one submission: give the folder that holds the student folders."
    )


def test_students_come_in_natural_order(tmp_path):
    write(tmp_path, {f"{name}/attention.py": SOFTMAX for name in ("s10", "s9", "S1", "é", "s9b")})
    assert students(found(tmp_path)) == ["S1", "s9", "s9b", "s10", "é"]


# ---------------------------------------------------------------------- one file for all


@pytest.mark.parametrize("where", ["ada.py", "ada/solution.py", "ada/deep/my solution.py"])
def test_one_file_with_everything_answers_every_topic(tmp_path, where, monkeypatch):
    write(tmp_path, {where: BOTH, "bob.py" if "/" not in where else "bob/heads.py": HEADS})
    submission = read(found(tmp_path).attempts[0])
    attention, heads = imported(submission, monkeypatch)
    assert heads.split_heads(3, 1) == attention.softmax(3) == 3


def test_lines_stay_the_learners_own(tmp_path):
    text = (
        "from attention import (\n    softmax as soft,\n    softmax,\n)  # mine\n\n\ndef split_heads(x, n):\n    pass\n"
    )
    write(tmp_path, {"ada.py": text + SOFTMAX, "bob.py": BOTH})
    submission = read(found(tmp_path).attempts[0])
    assert submission.line_of("heads.py", "split_heads") == 7


@pytest.mark.parametrize(
    "line",
    [
        "from attention import softmax as soft",
        "from attention import softmax; soft = lambda x: softmax(x)",
        "import attention\nsoft = lambda x: attention.softmax(x)",
        "try:\n    from attention import softmax as soft\nexcept ImportError:\n    raise",
        "from attention import *\nsoft = lambda x: softmax(x)",
        "from heads import split_heads\nfrom attention import (softmax as soft,\n  attention)\nattention = 1",
        "def soft(x):\n    from attention import softmax\n    return softmax(x)",
    ],
)
def test_imports_between_topics_work_in_one_file(tmp_path, line, monkeypatch):
    write(tmp_path, {"ada.py": f"{line}\ndef split_heads(x, n):\n    return soft(x)\n{SOFTMAX}", "bob.py": BOTH})
    _, heads = imported(read(found(tmp_path).attempts[0]), monkeypatch)
    assert heads.split_heads(5, 1) == 5


def test_what_one_file_lacks_is_a_missing_function_and_no_missing_file(tmp_path):
    write(tmp_path, {"ada.py": SOFTMAX, "bob.py": "x = 1\n"})
    for attempt in found(tmp_path).attempts:
        submission = read(attempt)
        assert (set(submission.files) >= set(TOPICS), dict(submission.problems)) == (True, {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "ada.py is not UTF-8 text: see line 1."),
        (b"x\0", "ada.py holds a NUL byte on line 1."),
        (b" ", "ada.py is empty."),
        (b"#" * 1_000_001, "ada.py is larger than 1 MB."),
    ],
)
def test_a_file_that_cannot_be_read_is_called_by_its_own_name(tmp_path, content, message):
    write(tmp_path, {"ada.py": content, "bob.py": BOTH})
    problems = read(found(tmp_path).attempts[0]).problems
    assert [render(problems[topic].message) for topic in TOPICS] == [message, message]


def test_the_ending_of_a_python_file_may_be_written_large(tmp_path):
    write(tmp_path, {"ada.PY": BOTH, "bob/Attention.PY": SOFTMAX, "bob/essay.txt": "x"})
    assert set(TOPICS) <= read(found(tmp_path, layout="files").attempts[0]).files.keys()
    assert "attention.py" in read(found(tmp_path, layout="folders").attempts[0]).files


def test_a_file_of_another_kind_is_left_out_with_a_line(tmp_path):
    write(tmp_path, {"ada.py": BOTH, "bob.docx": b"PK", "eve.py": BOTH})
    assert noted(found(tmp_path)) == ("bob.docx is not a Python file, notebook or archive: left out.",)


def test_two_files_of_one_stem_are_one_students(tmp_path):
    write(tmp_path, {"ada.py": SOFTMAX, "ada.ipynb": notebook(HEADS), "Ada.py": BOTH})
    intake = found(tmp_path)
    assert students(intake) == ["Ada", "ada"]
    files = read(intake.attempts[1]).files
    assert "def softmax" in files["attention.py"]
    assert "def split_heads" in files["heads.py"]


def test_an_archive_of_an_unread_kind_is_a_students_problem(tmp_path):
    write(tmp_path, {"ada.py": BOTH, "bob.rar": b"Rar!"})
    bob = read(found(tmp_path).attempts[1])
    problem = bob.problems["heads.py"]
    assert render(problem.message) == "bob.rar is of a kind that is not read here: a .zip was expected."


# ---------------------------------------------------------------------- archives


WAYS = {
    "zip": zip_bytes,
    "tar": tar_bytes,
    "tar.gz": lambda files: tar_bytes(files, ".gz"),
    "tar.bz2": lambda files: tar_bytes(files, ".bz2"),
    "tar.xz": lambda files: tar_bytes(files, ".xz"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrapper", ["", "hw1/"])
def test_a_class_may_be_an_archive(tmp_path, way, wrapper):
    files = {f"{wrapper}{name}/exercises/attention.py": SOFTMAX.encode() for name in ("ada", "bob")}
    write(tmp_path, {f"class.{way}": WAYS[way](files)})
    intake = found(tmp_path / f"class.{way}")
    assert students(intake) == ["ada", "bob"]
    assert [attempt.origin for attempt in intake.attempts] == [f"{wrapper}ada", f"{wrapper}bob"]
    assert all(read(attempt).files["attention.py"] == SOFTMAX for attempt in intake.attempts)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("where", ["ada/hw.{}", "ada.{}", "ada/deep/hw.{}"])
def test_a_student_may_hand_in_an_archive(tmp_path, way, where):
    data = WAYS[way]({"hw/attention.py": SOFTMAX.encode(), "hw/heads.py": HEADS.encode()})
    bob = "bob.py" if where.startswith("ada.") else "bob/attention.py"
    write(
        tmp_path,
        {where.format(way): data, bob: SOFTMAX} if bob == "bob/attention.py" else {where.format(way): data, bob: BOTH},
    )
    submission = read(found(tmp_path).attempts[0])
    assert (submission.files["attention.py"], submission.files["heads.py"]) == (SOFTMAX, HEADS)


def test_an_archive_in_a_students_archive_is_left_out_with_a_note(tmp_path):
    inner = zip_bytes({"heads.py": HEADS})
    write(tmp_path, {"ada/hw.zip": zip_bytes({"attention.py": SOFTMAX, "more.zip": inner})})
    submission = one(tmp_path)
    assert render(submission.problems["heads.py"].message) == "heads.py is missing from ada."
    assert noted(submission) == ("more.zip in hw.zip: an archive in an archive; left out.",)


def test_an_archives_own_dates_stand_in_for_those_that_the_layout_lacks(tmp_path):
    write(tmp_path, {"class.zip": zip_bytes({"ada/attention.py": SOFTMAX, "bob/attention.py": SOFTMAX})})
    whens = [attempt.handed_in for attempt in found(tmp_path / "class.zip").attempts]
    assert all(when.tzinfo is UTC for when in whens)
    write(tmp_path, {"class/ada/attention.py": SOFTMAX, "class/bob/attention.py": SOFTMAX})
    assert [attempt.handed_in for attempt in found(tmp_path / "class").attempts] == [None, None]


# ---------------------------------------------------------------------- notebooks


@pytest.mark.parametrize("where", ["ada/hw.ipynb", "ada/deep/hw.ipynb", "ada.ipynb"])
def test_a_notebook_answers_every_topic(tmp_path, where, monkeypatch):
    cells = [
        "%matplotlib inline\nimport matplotlib_is_not_here as plt",
        SOFTMAX,
        HEADS,
        "plt.plot(softmax(1))\nassert 0",
    ]
    write(tmp_path, {where: notebook(*cells), "bob.py" if where == "ada.ipynb" else "bob/attention.py": SOFTMAX})
    submission = read(found(tmp_path).attempts[0])
    attention, heads = imported(submission, monkeypatch)
    assert heads.split_heads(3, 1) == attention.softmax(3) == 3
    line = submission.line_of("heads.py", "split_heads")
    assert submission.notebooks["heads.py"].where(line) == (3, 4)


def test_a_python_file_goes_before_a_notebook(tmp_path):
    write(tmp_path, {"ada/attention.py": SOFTMAX, "ada/hw.ipynb": notebook("def softmax():\n    pass", HEADS)})
    submission = one(tmp_path)
    assert submission.files["attention.py"] == SOFTMAX
    assert "split_heads" in submission.files["heads.py"]


def test_a_cell_that_cannot_be_parsed_is_the_problem_of_its_exercise_alone(tmp_path):
    write(tmp_path, {"ada/hw.ipynb": notebook(SOFTMAX, "def attention(Q)\n", HEADS)})
    submission = one(tmp_path)
    assert render(submission.problems["attention"].message).startswith("SyntaxError in cell 2, line 1: expected ':'")
    assert set(submission.problems) == {"attention"}


def test_the_problem_of_one_exercise_is_told_for_it_and_for_no_other(tmp_path):
    key = load_key(find_course(None).public_key)
    exercises = [exercise for exercise in key.exercises if exercise.file == "heads.py"]
    write(tmp_path, {"ada/hw.ipynb": notebook("def split_heads(x\n", "def merge_heads(x):\n    return x\n")})
    [attempt] = found(tmp_path).attempts
    submission = attempt.read(("heads.py",), {exercise.name: exercise.file for exercise in exercises})
    split, merge = (render(graded.verdicts[0].message) for graded in grade(submission, key, exercises).exercises)
    assert split == "SyntaxError in cell 1, line 1: '(' was never closed in `def split_heads(x`"
    assert "SyntaxError" not in merge


def test_a_notebook_that_cannot_be_read_is_said_to_be_so(tmp_path):
    write(tmp_path, {"ada/hw.ipynb": b"PK"})
    assert render(one(tmp_path).problems["attention.py"].message) == "hw.ipynb is not a notebook: it is not JSON."


def test_a_file_that_a_cell_writes_is_that_file(tmp_path):
    write(tmp_path, {"ada/hw.ipynb": notebook(f"%%writefile heads.py\n{HEADS}", SOFTMAX)})
    assert one(tmp_path).files["heads.py"] == HEADS


# ---------------------------------------------------------------------- names


LETTERS = st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",))
NAMES = st.text(LETTERS, min_size=1, max_size=40).filter(lambda name: not is_left_out(name))


@settings(deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_every_name_comes_back_as_it_is(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("class")
    for name in names:
        write(folder, {f"{name}/attention.py": SOFTMAX})
    intake = found(folder)
    assert sorted(students(intake)) == sorted(names)
    assert all(read(attempt).files == {"attention.py": SOFTMAX} for attempt in intake.attempts)


def test_names_that_look_alike_stay_two_students(tmp_path):
    names = ["zoë", unicodedata.normalize("NFD", "zoë"), "ADA", "ada", "Ada"]
    write(tmp_path, {f"{name}/attention.py": SOFTMAX for name in names})
    assert sorted(students(found(tmp_path))) == sorted(names)


def test_a_name_that_is_not_utf8_is_a_student_like_any(tmp_path):
    import os

    os.mkdir(os.fsencode(tmp_path) + b"/ad\xe9")
    (tmp_path / "ad\udce9" / "attention.py").write_text(SOFTMAX)
    [attempt] = found(tmp_path).attempts
    assert attempt.student == "ad\udce9"
    assert read(attempt).files == {"attention.py": SOFTMAX}


@given(st.text(max_size=300))
def test_a_name_is_shown_on_one_line(text):
    assert plain(text).isprintable()


@given(st.lists(st.text(max_size=10)))
def test_natural_order_is_total(names):
    assert len({natural(name) for name in names}) == len(set(names))
    backwards = names[::-1]
    assert sorted(names, key=natural) == sorted(backwards, key=natural)


# ---------------------------------------------------------------------- Canvas


def test_canvas_files_of_one_user_are_one_submission(tmp_path):
    names = ["lovelaceada_LATE_1001_78_heads-2.py", "hoppergrace_1002_80_hw.ipynb", "o-neil_1003_81_hw.zip"]
    contents = [HEADS, notebook(SOFTMAX, HEADS), zip_bytes({"attention.py": SOFTMAX})]
    write(tmp_path, {CANVAS_1: SOFTMAX, **dict(zip(names, contents, strict=True)), "lovelaceada_1001_text.html": "<p>"})
    intake = found(tmp_path)
    assert intake.layout == "canvas"
    assert [(a.student, a.name, a.late) for a in intake.attempts] == [
        ("1001", "lovelaceada", True),
        ("1002", "hoppergrace", False),
        ("1003", "o-neil", False),
    ]
    assert [set(read(attempt).files) >= {"attention.py"} for attempt in intake.attempts] == [True] * 3
    assert read(intake.attempts[0]).files == {"attention.py": SOFTMAX, "heads.py": HEADS}
    assert noted(intake) == ("lovelaceada_1001_text.html is text typed into Canvas: left out.",)


def test_whoever_typed_text_into_canvas_is_not_missing(tmp_path):
    write(tmp_path, {CANVAS_1: SOFTMAX, "x_9_text.html": "<p>", "y_LATE_10_text.html": "<p>", "z_11_7_a.pdf": "x"})
    intake = found(tmp_path)
    assert intake.layout == "canvas"
    assert [(a.student, a.name, a.late, render(a.problem)) for a in intake.attempts if a.student in ("9", "10")] == [
        ("9", "x", False, "x_9_text.html is text typed into Canvas, which is not read: ask for a file."),
        ("10", "y", True, "y_LATE_10_text.html is text typed into Canvas, which is not read: ask for a file."),
    ]


def test_canvas_resubmissions_count_by_their_number(tmp_path):
    files = {"a_1_9_attention.py": "x = 1\n", "a_1_8_attention-2.py": SOFTMAX, "a_1_10_attention-1.py": "y = 1\n"}
    write(tmp_path, files)
    intake = found(tmp_path)
    assert read(intake.attempts[0]).files["attention.py"] == SOFTMAX
    assert noted(intake) == (
        "a_1_9_attention.py is older than a_1_10_attention-1.py: left out.",
        "a_1_10_attention-1.py is older than a_1_8_attention-2.py: left out.",
    )


def test_canvas_download_may_stay_zipped(tmp_path):
    write(tmp_path, {"submissions.zip": zip_bytes({CANVAS_1: SOFTMAX, "b_2_3_hw.zip": zip_bytes({"heads.py": HEADS})})})
    intake = found(tmp_path / "submissions.zip")
    assert (intake.layout, students(intake)) == ("canvas", ["2", "1001"])
    assert read(intake.attempts[0]).files["heads.py"] == HEADS


# ---------------------------------------------------------------------- Moodle


def test_moodle_participants(tmp_path):
    files = {
        "Ada Lovelace_12_assignsubmission_file_/attention.py": SOFTMAX,
        "Ada Lovelace_12_assignsubmission_onlinetext_/onlinetext.html": f"<p>{HEADS}</p>".replace("\n", "<br>"),
        "Jean_Luc P_3_assignsubmission_onlinetext/onlinetext.html": f"<pre>{BOTH}</pre>".replace(" ", "&nbsp;"),
        "Participant_4_assignsubmission_file_/hw.zip": zip_bytes({"heads.py": HEADS}),
        "stray/attention.py": "",
    }
    write(tmp_path, files)
    intake = found(tmp_path)
    assert intake.layout == "moodle"
    assert [(a.student, a.name) for a in intake.attempts] == [("3", "Jean_Luc P"), ("4", ""), ("12", "Ada Lovelace")]
    jean, participant, ada = map(read, intake.attempts)
    assert ada.files["attention.py"] == SOFTMAX
    assert "def split_heads(x, n):\n    return softmax(x)" in ada.files["heads.py"]
    assert "def softmax(x, dim=-1):\n    return x" in jean.files["attention.py"]
    assert participant.files["heads.py"] == HEADS
    assert noted(intake) == ("stray is not named as Moodle names its exports: left out.",)


def test_text_typed_into_moodle_is_called_that_and_not_a_file_that_nobody_handed_in(tmp_path):
    write(tmp_path, {"Ada Lovelace_12_assignsubmission_onlinetext/onlinetext.html": "<p> </p>"})
    assert render(one(tmp_path).problems["heads.py"].message) == "the text typed into Moodle is empty."


def test_moodle_files_without_folders(tmp_path):
    start = "Ada Lovelace_12_assignsubmission_file_"
    write(tmp_path, {f"{start}attention.py": SOFTMAX, f"{start}heads.py": HEADS})
    intake = found(tmp_path)
    assert (intake.layout, students(intake)) == ("moodle", ["12"])
    assert read(intake.attempts[0]).files == {"attention.py": SOFTMAX, "heads.py": HEADS}


# ---------------------------------------------------------------------- Gradescope


METADATA = """---
submission_5:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0012'
    :email: ada@x.org
  - :name: Grace Hopper
    :sid: 0777
    :email: grace@x.org
  :created_at: 2026-10-01 14:22:32.365935000 -07:00
  :score: 3.0
  :history:
  - :id: 4
    :created_at: 2026-09-30 10:00:00.000000000 Z
  - :id: 3
    :created_at: 2026-09-29 10:00:00.000000000 Z
submission_6:
  :submitters:
  - :name: "Zo\\xEB"
    :sid:
    :email: zoe@x.org
  :created_at: !ruby/object:Time 2026-10-01
"""


def test_gradescope_submissions(tmp_path):
    folders = {f"submission_{i}/attention.py": SOFTMAX for i in (4, 5, 9)}
    write(tmp_path, {"export/submission_metadata.yml": METADATA, **{f"export/{k}": v for k, v in folders.items()}})
    intake = found(tmp_path)
    assert intake.layout == "gradescope"
    assert [(a.student, a.name, a.label, a.handed_in) for a in intake.attempts] == [
        ("0012", "Ada Lovelace", "submission_4", datetime(2026, 9, 30, 10, tzinfo=UTC)),
        ("0012", "Ada Lovelace", "submission_5", datetime(2026, 10, 1, 21, 22, 32, 365935, tzinfo=UTC)),
        ("0777", "Grace Hopper", "submission_4", datetime(2026, 9, 30, 10, tzinfo=UTC)),
        ("0777", "Grace Hopper", "submission_5", datetime(2026, 10, 1, 21, 22, 32, 365935, tzinfo=UTC)),
        ("zoe@x.org", "Zoë", "submission_6", None),
    ]
    assert intake.attempts[1].email == "ada@x.org"
    assert read(intake.attempts[1]).files == {"attention.py": SOFTMAX}
    missing = render(read(intake.attempts[-1]).problems["heads.py"].message)
    assert missing == "The folder submission_6 is missing from the export."
    assert noted(intake) == ("submission_9 is not in submission_metadata.yml: left out.",)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ("a: [", "submission_metadata.yml, line 2 is not YAML: export it again, or use --layout folders."),
        ("[" * 100_000, "submission_metadata.yml, line 1 is not YAML: export it again, or use --layout folders."),
        ("- a", "submission_metadata.yml does not list submissions: export it again, or use --layout folders."),
        (b"\xff: 1", "submission_metadata.yml is not YAML: export it again, or use --layout folders."),
    ],
)
def test_gradescope_metadata_that_cannot_be_read_is_refused(tmp_path, metadata, message):
    write(tmp_path, {"submission_metadata.yml": metadata, "submission_1/attention.py": SOFTMAX})
    assert refused(tmp_path) == message


def test_metadata_that_an_archive_does_not_hold_whole_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:  # stored, with a checksum
        archive.writestr("submission_metadata.yml", "submission_1: {}")
        archive.writestr("submission_1/attention.py", SOFTMAX)
    damaged = (tmp_path / "export.zip").read_bytes().replace(b"submission_1: {}", b"submission_2: {}")
    (tmp_path / "export.zip").write_bytes(damaged)
    assert refused(tmp_path / "export.zip") == (
        "submission_metadata.yml is damaged: the archive does not hold what it declares: "
        "export it again, or use --layout folders."
    )


def test_gradescope_metadata_builds_nothing_from_tags(tmp_path):
    tag = "!!python/object/apply:os.mkdir"
    text = f"submission_1:\n  :submitters:\n  - :sid: a\n    :name: {tag} [made]\n    :email: {tag} made\n"
    write(tmp_path, {"submission_metadata.yml": text, "submission_1/attention.py": SOFTMAX})
    [attempt] = found(tmp_path).attempts
    assert (attempt.student, attempt.name) == ("a", "")


def test_gradescope_metadata_of_many_laughs_stays_small(tmp_path):
    laughs = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 30))
    text = f"l0: &l0 [ha]\n{laughs}submission_1:\n  :submitters:\n  - :sid: a\n"
    write(tmp_path, {"submission_metadata.yml": text, "submission_1/attention.py": SOFTMAX})
    assert students(found(tmp_path)) == ["a"]


# ---------------------------------------------------------------------- GitHub Classroom


@pytest.mark.parametrize("folder", ["hw-1-submissions", "elsewhere"])
def test_classroom_clones(tmp_path, folder):
    users = {"ada": SOFTMAX, "grace-h": SOFTMAX, "Zoe": SOFTMAX}
    write(tmp_path, {f"{folder}/hw-1-{user}/src/attention.py": text for user, text in users.items()})
    write(tmp_path, {f"{folder}/hw-1-{user}/.git/config": "[core]\n\tfsmonitor = touch made\n" for user in users})
    intake = found(tmp_path / folder)
    assert (intake.layout, students(intake)) == ("classroom", ["ada", "grace-h", "Zoe"])
    assert noted(intake) == ("The assignment is taken to be hw-1, and the rest to be user names.",)
    assert read(intake.attempts[0]).files["attention.py"] == SOFTMAX
    assert [attempt.handed_in for attempt in intake.attempts] == [None] * 3


def test_the_name_of_the_folder_tells_an_assignment_from_users_who_begin_alike(tmp_path):
    for user in ("a-l", "a-m"):
        write(tmp_path, {f"hw-submissions/hw-{user}/.git/HEAD": "", f"hw-submissions/hw-{user}/heads.py": HEADS})
    assert students(found(tmp_path / "hw-submissions")) == ["a-l", "a-m"]


# ---------------------------------------------------------------------- nbgrader


@pytest.fixture
def exchange(tmp_path):
    for student in ("ada", "grace"):
        write(tmp_path, {f"course/submitted/{student}/ps1/kata.ipynb": notebook(SOFTMAX, HEADS)})
    write(tmp_path, {"course/submitted/ada/ps1/timestamp.txt": "2026-10-01 23:59:00.5 America/Los_Angeles\n"})
    write(tmp_path, {"course/source/ps1/kata.ipynb": notebook(""), "course/gradebook.db": b"SQLite"})
    return tmp_path / "course"


@pytest.mark.parametrize("inside", ["", "submitted"])
def test_nbgrader_submissions(exchange, inside):
    intake = found(exchange / inside)
    assert (intake.layout, students(intake)) == ("nbgrader", ["ada", "grace"])
    ada, grace = intake.attempts
    assert (ada.handed_in, grace.handed_in) == (datetime(2026, 10, 2, 6, 59, 0, 500_000, tzinfo=UTC), None)
    assert "def split_heads" in read(ada).files["heads.py"]


def test_nbgrader_assignments_are_listed_when_there_are_several(exchange):
    write(exchange, {"submitted/ada/ps2/kata.ipynb": notebook(SOFTMAX)})
    assert refused(exchange) == "PATH holds the assignments ps1, ps2: choose one with --assignment."
    assert refused(exchange, assignment="ps3") == ("nobody handed in ps3: --assignment takes one of these: ps1, ps2.")
    intake = found(exchange, assignment="ps2")
    assert (students(intake), noted(intake)) == (["ada"], ("grace has no folder ps2: left out.",))


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01 00:00:00", "2026-10-01 00:00:00 ../../etc/passwd", "\xff"]
)
def test_a_time_stamp_that_says_nothing_is_no_time(exchange, text):
    write(exchange, {"submitted/ada/ps1/timestamp.txt": text.encode("latin-1")})
    assert found(exchange).attempts[0].handed_in is None


# ---------------------------------------------------------------------- which layout


def test_nothing_fits(tmp_path):
    write(tmp_path, {"a.pdf": b"", "b\n.txt": b""})
    assert refused(tmp_path) == (
        "PATH holds no submissions (found: a.pdf, b\\n.txt). Expected: a folder or archive with one folder, or"
        " one .py, .ipynb or .zip file, for each student; or a platform's download, unchanged."
    )


def test_folders_and_files_are_students_side_by_side(tmp_path):
    write(tmp_path, {"ada.py": BOTH, "bob/attention.py": SOFTMAX, "eve.rar": b"Rar!", "kurt.docx": b"PK"})
    intake = found(tmp_path)
    assert (intake.layout, students(intake)) == ("mixed", ["ada", "bob", "eve"])
    assert [bool(attempt.problem) for attempt in intake.attempts] == [False, False, True]
    assert noted(intake) == (
        "kurt.docx is not a Python file, notebook or archive: left out.",
        "each folder and each file is taken for one student (1 and 2): "
        "--layout folders or --layout files takes only those.",
    )
    assert students(found(tmp_path, layout="folders")) == ["bob"]
    assert students(found(tmp_path, layout="files")) == ["ada", "eve"]


def test_a_folder_of_nothing_among_files_is_left_out_and_one_among_folders_is_somebodys(tmp_path):
    write(tmp_path / "most", {"a.py": BOTH, "b.py": BOTH, "pictures/x.png": b"", "c/attention.py": SOFTMAX})
    assert students(found(tmp_path / "most")) == ["a", "b", "c"]
    assert noted(found(tmp_path / "most"))[0] == (
        "pictures is a folder without a Python file, notebook or archive: left out."
    )
    write(tmp_path / "few", {"a.py": BOTH, "b/essay.docx": b"", "c/attention.py": SOFTMAX})
    assert students(found(tmp_path / "few")) == ["a", "b", "c"]


def test_folders_of_several_notebook_folders_may_be_nbgraders(tmp_path):
    for student in ("ada", "bob"):
        write(tmp_path, {f"{student}/{part}/hw.ipynb": notebook(SOFTMAX) for part in ("ps1", "ps2")})
    assert refused(tmp_path) == "PATH can be read as folders or as nbgrader: say which with --layout."


def test_a_stray_file_among_folders_is_noted(tmp_path):
    write(tmp_path, {f"s{i}/attention.py": SOFTMAX for i in range(5)})
    write(tmp_path, {"roster.csv": "", "essay.pdf": ""})
    intake = found(tmp_path)
    assert (intake.layout, len(intake.attempts)) == ("folders", 5)
    assert noted(intake) == ("essay.pdf is in no student's folder: left out.",)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_forced_layout_that_finds_nobody_is_refused(tmp_path, layout):
    write(tmp_path, {"notes.txt": ""} if layout != "gradescope" else {"submission_metadata.yml": "{}"})
    assert refused(tmp_path, layout=layout).startswith(f"PATH holds no submissions in the layout {layout} (found: ")


def test_a_layout_that_does_not_exist_is_refused(tmp_path):
    assert refused(tmp_path, layout="x") == f"there is no layout 'x': --layout takes {', '.join(LAYOUTS)}."


def test_an_empty_folder_a_single_file_and_nothing_are_refused(tmp_path):
    write(tmp_path, {"empty": FOLDER, "ada.py": BOTH, "x.zip": b"no zip", "y.zip": b"PK\x03\x04"})
    assert refused(tmp_path / "empty").startswith("PATH holds no submissions (it is empty).")
    assert refused(tmp_path / "ada.py").startswith("PATH is a single file: give the folder or archive")
    assert refused(tmp_path / "x.zip") == "PATH is neither a zip nor a tar: unpack it yourself, then give the folder."
    assert refused(tmp_path / "y.zip") == "PATH is damaged or not an archive: unpack it yourself, then give the folder."
    assert refused(tmp_path / "absent").startswith("PATH does not exist: give the folder or archive")
