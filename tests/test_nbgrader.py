"""The classroom's own tool: what we release it accepts, and its points are those of `kata grade`, cell by cell."""

import json
import pty
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from threading import Thread

import pytest
from classroom import (
    ANSWERS,
    POLICY,
    autograded,
    by_cell,
    by_exercise,
    grade,
    graded,
    kata,
    released,
)
from conftest import environment
from notebooks import (
    ASSIGNMENT,
    EXERCISES,
    PUBLIC_KEY,
    ROOT,
    answered,
    answers_from,
    cell_of,
    copy_of,
    hand_in,
    need_nbgrader,
    new_classroom,
    read,
    run,
    source_of,
)

__all__ = ["autograded", "graded", "released"]  # fixtures


def marks(notebook):
    return [cell["metadata"]["nbgrader"] for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]


# ---------------------------------------------------------------------- the assignment


def test_the_released_notebook_holds_no_solution_and_no_hidden_check(released):
    text = json.dumps(released[1])
    assert [
        word for word in ("SOLUTION", "HIDDEN", "_kata.hidden", "masked_fill", "key.safetensors") if word in text
    ] == []


def test_the_points_of_the_cells_add_up_to_those_of_the_course(released):
    points = dict.fromkeys((exercise.name for exercise in EXERCISES), 0.0)
    for mark in marks(released[1]):
        if mark["grade"]:
            points[mark["grade_id"].rpartition("-")[0]] += mark["points"]
    assert points == {exercise.name: exercise.points for exercise in EXERCISES}


def test_prompts_and_checks_are_locked_and_answers_are_not(released):
    locked = {mark["grade_id"]: mark["locked"] for mark in marks(released[1])}
    answers = {exercise.name for exercise in EXERCISES}
    assert {id for id, is_locked in locked.items() if not is_locked} == answers


def test_an_answer_cell_has_the_signature_of_the_stub(released):
    cell = source_of(cell_of(released[1], "split_heads"))
    assert cell.splitlines() == [
        "def split_heads(x: Tensor, n_heads: int) -> Tensor:",
        "    # YOUR CODE HERE",
        "    raise NotImplementedError()",
    ]


def test_the_prompt_is_the_docstring_of_the_stub(released):
    prompt = source_of(cell_of(released[1], "split_heads-prompt"))
    assert "result[b, h, t, i] = x[b, t, h * d_k + i]" in prompt


def test_the_key_is_in_the_course_folder_and_for_its_owner_alone(released):
    [key] = (released[0] / "kata").iterdir()
    assert (key.name, key.stat().st_mode & 0o077) == ("attention.key.safetensors", 0)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A classroom with two exercises."""
    need_nbgrader()
    folder = tmp_path_factory.mktemp("small") / "course"
    return folder, new_classroom(folder, "--exercise", "heads")


def test_nbgrader_validates_the_source_and_what_it_makes_of_it_fails_until_it_is_solved(small):
    folder, _ = small
    path = f"{ASSIGNMENT}/{ASSIGNMENT}.ipynb"
    good = run("nbgrader", "validate", f"source/{path}", cwd=folder)
    empty = run("nbgrader", "validate", f"release/{path}", cwd=folder, codes=(0, 1))
    assert ("Success! Your notebook passes all the tests." in good, "VALIDATION FAILED ON 2 CELL(S)!" in empty) == (
        True,
        True,
    )


def test_a_released_notebook_runs_through_for_a_learner(small, tmp_path):
    (tmp_path / "mine.ipynb").write_text(json.dumps(small[1]))
    run("jupyter", "nbconvert", "--execute", "--to", "notebook", "--output", "done.ipynb", "mine.ipynb", cwd=tmp_path)
    cell = cell_of(read(tmp_path / "done.ipynb"), "split_heads-check")
    assert [o["output_type"] for o in cell["outputs"]] == ["display_data", "execute_result"]
    assert cell["outputs"][1]["data"]["text/plain"] in ("0.0", ["0.0"])


def test_an_assignment_is_not_overwritten(small):
    said = kata("release", "--nbgrader", small[0], "--exercise", "heads", cwd=ROOT, codes=(2,))
    assert "already exists: --force overwrites it" in said


def test_a_key_for_other_exercises_is_not_used(small):
    said = kata("release", "--nbgrader", small[0], "--exercise", "masks", "--force", cwd=ROOT, codes=(2,))
    assert "is the key of other exercises" in said


def test_a_name_that_nbgrader_does_not_take_is_refused(tmp_path):
    need_nbgrader()
    said = kata("release", "--nbgrader", tmp_path, "--assignment", "a+b", "--key", PUBLIC_KEY, cwd=ROOT, codes=(2,))
    assert "nbgrader accepts only letters, digits, dots, - and _ in a name" in said


def test_without_nbgrader_there_is_one_line_that_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['nbgrader'] = None; from attention_kata.nbgrader import need_nbgrader; need_nbgrader()"
    )
    said = run(sys.executable, "-c", code, cwd=tmp_path, codes=(1,))
    assert 'this needs nbgrader: pip install "attention-kata[instructor]"' in said


# ---------------------------------------------------------------------- the same points


def test_autograde_and_kata_grade_give_every_cell_the_same_points(autograded, graded):
    assert by_cell(autograded[0]) == by_cell(graded[0])


def test_the_cells_of_an_exercise_add_up_to_what_kata_grade_gives_it(autograded, graded):
    cells = by_cell(autograded[0])
    sums = {
        student: {name: cells[student][f"{name}-check"] + cells[student][f"{name}-hidden"] for name in own}
        for student, own in by_exercise(graded[0]).items()
    }
    assert sums == by_exercise(graded[0])


def test_the_class_shows_right_wrong_partial_and_unfinished_answers(graded):
    points = by_exercise(graded[0])
    assert set(points["ada"].values()) == {e.points for e in EXERCISES}
    assert 0 < points["kurt"]["split_heads"] < 8
    assert points["kurt"]["merge_heads"] == 7
    assert points["kurt"]["padding_mask"] == 0


def test_check_cells_end_in_one_number_and_leave_standard_error_clean(autograded):
    for student in ("ada", "blaise", "kurt"):
        notebook = read(autograded[0] / "autograded" / student / ASSIGNMENT / f"{ASSIGNMENT}.ipynb")
        checks = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade")]
        kinds = {tuple(output["output_type"] for output in cell["outputs"]) for cell in checks}
        assert kinds == {("display_data", "execute_result")}


def test_the_late_penalty_is_the_same(autograded, graded):
    def penalties(folder):
        run("nbgrader", "export", "--to", "late.csv", cwd=folder)
        lines = (folder / "late.csv").read_text().splitlines()
        return [line.split(",")[3:] for line in lines[1:]]

    assert penalties(autograded[0]) == penalties(graded[0])


def test_without_its_key_nobody_gets_a_zero_from_autograde(small, tmp_path):
    folder = copy_of(small[0], tmp_path / "course")
    hand_in(folder, "ada", small[1])
    (folder / "kata" / f"{ASSIGNMENT}.key.safetensors").unlink()
    said = run("nbgrader", "autograde", ASSIGNMENT, "--create", cwd=folder, codes=(1,))
    assert "There was an error processing assignment 'attention' for student 'ada'" in said
    assert set(by_cell(folder)["ada"].values()) == {None}


# ---------------------------------------------------------------------- our flow into its gradebook


def test_a_score_by_hand_is_never_overwritten(graded, tmp_path):
    from nbgrader.api import Gradebook

    folder = copy_of(graded[0], tmp_path / "course")
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        grade_of = book.find_grade("softmax-check", ASSIGNMENT, ASSIGNMENT, "blaise")
        grade_of.manual_score = 2.5
        book.find_comment("softmax", ASSIGNMENT, ASSIGNMENT, "blaise").manual_comment = "nearly"
        book.db.commit()
    grade(folder)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        again = book.find_grade("softmax-check", ASSIGNMENT, ASSIGNMENT, "blaise")
        comment = book.find_comment("softmax", ASSIGNMENT, ASSIGNMENT, "blaise")
        assert (again.manual_score, again.score, again.needs_manual_grade) == (2.5, 2.5, True)
        assert comment.manual_comment == "nearly"


def test_comments_name_the_mistake(graded):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{graded[0]}/gradebook.db") as book:
        wrong = book.find_comment("softmax", ASSIGNMENT, ASSIGNMENT, "blaise").auto_comment
        right = book.find_comment("softmax", ASSIGNMENT, ASSIGNMENT, "ada").auto_comment
    assert "Your weights are logarithms" in wrong
    assert right is None


def test_feedback_is_made_of_what_we_wrote(graded):
    run("nbgrader", "generate_feedback", ASSIGNMENT, "--student", "blaise", cwd=graded[0])
    html = (graded[0] / "feedback" / "blaise" / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text()
    assert "Your weights are logarithms" in html


def test_what_a_student_wrote_is_no_html_in_the_feedback(graded):
    run("nbgrader", "generate_feedback", ASSIGNMENT, "--student", "kurt", cwd=graded[0])
    html = (graded[0] / "feedback" / "kurt" / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text()
    assert ("alert(1)" in html, "<script>alert(1)" in html) == (True, False)


def test_nbgrader_sees_that_there_is_nothing_left_to_autograde(graded):
    said = run("nbgrader", "autograde", ASSIGNMENT, cwd=graded[0])
    assert said.count("SubmittedAssignment") == 0


def odd_notebooks(notebook):
    """Student -> (bytes or dict, name of the file): everything that goes wrong in real classes."""
    right = answers_from(ANSWERS / "right" / "articles")
    whole = answered(notebook, {name: right[name] for name in ("split_heads", "merge_heads")})

    def changed(change):
        copy = json.loads(json.dumps(whole))
        change(copy)
        return copy

    def delete(copy):
        gone = ("split_heads-check", "split_heads-prompt", "merge_heads")
        copy["cells"] = [c for c in copy["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") not in gone]

    def duplicate(copy):
        place = next(
            i for i, c in enumerate(copy["cells"]) if c["metadata"].get("nbgrader", {}).get("grade_id") == "merge_heads"
        )
        first = json.loads(json.dumps(copy["cells"][place]))
        first["source"] = "def merge_heads(x):\n    return x"
        copy["cells"].insert(place, first)

    def old(copy):
        copy["worksheets"] = [{"cells": copy.pop("cells"), "metadata": {}}]
        for cell in copy["worksheets"][0]["cells"]:
            cell.pop("id", None)
            if cell["cell_type"] == "code":
                cell["input"], cell["language"] = cell.pop("source"), "python"
                cell.pop("execution_count", None)
                cell["outputs"] = []
        copy |= {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": "attention"}}

    return {
        "deleted": (changed(delete), ASSIGNMENT),
        "copied": (changed(duplicate), ASSIGNMENT),
        "renamed": (whole, "attention (1)"),
        "reordered": (changed(lambda copy: copy["cells"].reverse()), ASSIGNMENT),
        "old": (changed(old), ASSIGNMENT),
        "kernel": (changed(lambda copy: copy["metadata"].clear()), ASSIGNMENT),
        "broken": (b'{"cells": [', ASSIGNMENT),
    }


@pytest.fixture(scope="module")
def odd(small, tmp_path_factory):
    """(points by student and exercise, what the program said) of a class of odd notebooks."""
    folder = copy_of(small[0], tmp_path_factory.mktemp("odd") / "course")
    for student, (notebook, name) in odd_notebooks(small[1]).items():
        hand_in(folder, student, notebook, name=name)
    said = grade(folder, codes=(0, 1))
    return folder, said


@pytest.mark.parametrize(
    ("student", "note", "points"),
    [
        ("deleted", "deleted cells, put back: split_heads-prompt, split_heads-check, merge_heads", 0),
        ("copied", "copied cells, of which the last one counts: merge_heads", 7),
        ("copied", "merge_heads is defined in the cells", 7),
        ("renamed", "attention (1).ipynb stands for attention.ipynb, which was renamed", 7),
        ("reordered", "its cells are in another order", 7),
        ("old", "it was saved by an old Jupyter (format 3)", 7),
        ("kernel", "it names no kernel", 7),
    ],
)
def test_what_is_odd_is_named_and_everything_else_is_graded(odd, student, note, points):
    folder, said = odd
    lines = [line for line in said.splitlines() if line.startswith(f"{student}:") and note in line]
    own = by_exercise(folder)[student]
    assert (len(lines), own["split_heads"], own["merge_heads"]) == (1, 8, points)
    cells = by_cell(folder)[student]
    assert cells["merge_heads-check"] + cells["merge_heads-hidden"] == points


def test_students_whom_the_gradebook_did_not_know_are_named_in_one_line(odd):
    (line,) = (line for line in odd[1].splitlines() if line.startswith("new in the gradebook: "))
    assert {"copied", "kernel", "old"} <= set(line.partition(": ")[2].split(", "))


def test_a_notebook_that_nobody_can_read_is_told_and_gets_no_grade(odd):
    folder, said = odd
    (line,) = (line for line in said.splitlines() if line.startswith("broken:"))
    assert line.count("is not a notebook") == 1
    assert by_cell(folder).get("broken") is None


def test_every_restored_notebook_is_one_for_jupyter(odd):
    import nbformat

    for path in (odd[0] / "autograded").glob("*/*/*.ipynb"):
        nbformat.validate(nbformat.read(path, 4))


def test_a_gradebook_without_the_assignment_is_refused_in_one_line(small, tmp_path):
    folder = copy_of(small[0], tmp_path / "course")
    hand_in(folder, "ada", small[1])
    assert "gradebook.db does not exist" in kata(
        "grade", "submitted", "--gradebook", "other/gradebook.db", "--key", PUBLIC_KEY, cwd=folder, codes=(2,)
    )
    assert not (folder / "grades.db").exists()  # it is said before anything is done


@pytest.mark.parametrize("content", [b"", b"c = get_config()", None])
def test_what_is_no_gradebook_is_left_as_it_is(small, tmp_path, content):
    folder = copy_of(small[0], tmp_path / "course")
    hand_in(folder, "ada", small[1])
    if content is None:
        with closing(sqlite3.connect(folder / "own.db")) as database:
            database.execute("CREATE TABLE results (x)")
            database.commit()
    else:
        (folder / "own.db").write_bytes(content)
    before = (folder / "own.db").read_bytes()
    said = kata("grade", "submitted", "--gradebook", "own.db", "--key", PUBLIC_KEY, cwd=folder, codes=(2,))
    assert "own.db is not an nbgrader gradebook: name one with --gradebook" in said
    assert (folder / "own.db").read_bytes() == before


def test_the_assignments_key_is_found_without_the_gradebook_too_and_missed_where_it_is_gone(small, tmp_path):
    folder = copy_of(small[0], tmp_path / "course")
    hand_in(folder, "ada", small[1])
    said = kata("grade", "submitted", cwd=folder, codes=(0, 1))
    assert ("drawing" in said, "graded" in said) == (False, True)
    (folder / "grades.db").unlink()
    shutil.rmtree(folder / "kata")
    said = kata("grade", "submitted", "--gradebook", "gradebook.db", cwd=folder, codes=(2,))
    assert "does not exist: `kata release --nbgrader` creates it. Put it back, or use --key." in said


def test_what_the_gradebook_keeps_of_an_earlier_attempt_is_said(small, tmp_path):
    folder = copy_of(small[0], tmp_path / "course")
    hand_in(
        folder,
        "ada",
        answered(small[1], {"merge_heads": "def merge_heads(x):\n    return x.transpose(1, 2).flatten(2)"}),
    )
    kata("grade", "submitted", "--gradebook", "gradebook.db", cwd=folder, codes=(0, 1))
    for notebook in (folder / "submitted" / "ada").rglob("*.ipynb"):
        notebook.write_text("{broken")
    said = kata("grade", "submitted", "--gradebook", "gradebook.db", cwd=folder, codes=(1,))
    assert re.search(r"ada: nothing was written: .*; the gradebook still holds \d+ points of an earlier attempt", said)


def test_a_folders_name_moves_no_cursor(small, tmp_path):
    folder = copy_of(small[0], tmp_path / "course")
    hand_in(folder, "ev\x1b[31mil", b"{broken")
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "attention_kata", "grade", "submitted", "--gradebook", "gradebook.db"]
    with open(leader, "rb", buffering=0) as screen, open(follower, "wb", buffering=0) as terminal:
        said = bytearray()
        reader = Thread(target=lambda: said.extend(b"".join(iter(lambda: _chunk(screen), b""))))
        reader.start()
        done = subprocess.run(command, cwd=folder, stdout=terminal, stderr=terminal, env=environment())
        terminal.close()
        reader.join()
    assert (done.returncode, b"ev\x1b[31mil" in said, b"ev\\x1b[31mil: nothing was written" in said) == (1, False, True)


def _chunk(screen):
    try:
        return screen.read(4096)
    except OSError:  # nobody writes any more
        return b""


@pytest.fixture(scope="module")
def with_own_cells(tmp_path_factory):
    """A classroom whose instructor added an essay and a test: (folder, released notebook)."""
    need_nbgrader()
    folder = tmp_path_factory.mktemp("own") / "course"
    new_classroom(folder, "--exercise", "merge_heads")
    path = folder / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    notebook = read(path)
    for id, solution in (("essay", True), ("own-test", False)):
        mark = {"grade": True, "solution": solution, "locked": not solution, "task": False, "points": 2,
                "grade_id": id, "schema_version": 3}  # fmt: skip
        cell = {"cell_type": "code", "source": f"# {id}", "metadata": {"nbgrader": mark}}
        notebook["cells"].append(cell | {"outputs": [], "execution_count": None})
    path.write_text(json.dumps(notebook))
    run("nbgrader", "generate_assignment", ASSIGNMENT, "--force", cwd=folder)
    return folder, read(folder / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb")


def test_half_a_character_in_a_notebook_stops_nobody(with_own_cells, tmp_path):
    folder = copy_of(with_own_cells[0], tmp_path / "course")
    for student, text in (("ada", "fine"), ("blaise", "because \ud800"), ("emmy", "fine")):
        notebook = answered(with_own_cells[1], {"essay": text})
        notebook["metadata"]["language_info"] = {"x": 1}
        hand_in(folder, student, notebook)
    grade(folder)
    assert sorted(by_cell(folder)) == ["ada", "blaise", "emmy"]
    run("nbgrader", "generate_feedback", ASSIGNMENT, cwd=folder)


def test_whoever_cannot_be_written_is_told_and_everybody_else_is_written(with_own_cells, tmp_path):
    folder = copy_of(with_own_cells[0], tmp_path / "course")
    for student in ("ada", "blaise", "emmy"):
        hand_in(folder, student, with_own_cells[1])
    (folder / "struck.py").write_text(
        "from attention_kata.nbgrader import gradebook\nfrom attention_kata.program import main\n"
        "scores = gradebook._Writer._scores\n"
        "def struck(self, row, *rest):\n"
        "    assert row.id != 'blaise', 'on purpose'\n"
        "    scores(self, row, *rest)\n"
        "gradebook._Writer._scores = struck\nmain()\n"
    )
    said = run(sys.executable, "struck.py", "grade", "submitted", "--gradebook", "gradebook.db", cwd=folder, codes=(1,))
    assert "blaise: could not be written: AssertionError: on purpose" in said
    cells = by_cell(folder)
    assert (cells["ada"], cells["emmy"]["merge_heads-check"]) == (cells["emmy"], 0.0)


def test_a_score_of_a_cell_of_the_instructors_own_stays(with_own_cells, tmp_path):
    from nbgrader.api import Gradebook

    folder = copy_of(with_own_cells[0], tmp_path / "course")
    hand_in(folder, "ada", with_own_cells[1])
    said = grade(folder)
    assert "ada: own-test is a cell of yours, that only nbgrader autograde can run: grade it by hand\n" in said
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        book.find_grade("own-test", ASSIGNMENT, ASSIGNMENT, "ada").auto_score = 2.0
        book.db.commit()
    assert "grade it by hand; it keeps the 2 points it has" in grade(folder)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        own = book.find_grade("own-test", ASSIGNMENT, ASSIGNMENT, "ada")
        assert (own.auto_score, own.needs_manual_grade) == (2.0, True)


# ---------------------------------------------------------------------- plugins


@pytest.mark.parametrize(
    ("exporter", "first"),
    [("KataExport", "student_id,name"), ("ChecksExport", "student_id,exercise,check"), ("JsonExport", '{"schema": 2')],
)
def test_exporters_run_in_nbgraders_command_line(graded, exporter, first, tmp_path):
    plugin = f"--exporter=attention_kata.nbgrader.plugins.{exporter}"
    run("nbgrader", "export", plugin, "--to", tmp_path / "out", cwd=graded[0])
    assert (tmp_path / "out").read_text().startswith(first)


def test_an_exporter_gives_what_the_gradebook_says(graded, tmp_path):
    run(
        "nbgrader",
        "export",
        "--exporter=attention_kata.nbgrader.plugins.KataExport",
        "--to",
        tmp_path / "out",
        cwd=graded[0],
    )
    row = next(line for line in (tmp_path / "out").read_text().splitlines() if line.startswith("blaise"))
    points, before = by_exercise(graded[0])["blaise"], sum(by_exercise(graded[0])["blaise"].values())
    assert row.split(",")[3:8] == ["graded", f"{0.9 * before:g}", "100", f"{before:g}", f"{before:g}"]
    assert f"{points['attention_scores']:g}" == row.split(",")[11]


def test_an_exporter_tells_who_handed_in_nothing_from_who_could_not_be_graded(small, tmp_path):
    folder = copy_of(small[0], tmp_path / "course")
    hand_in(folder, "ada", small[1])
    for notebook in (folder / "submitted" / "ada").rglob("*.ipynb"):
        notebook.write_text("{broken")
    for student in ("ada", "blaise"):
        run("nbgrader", "db", "student", "add", student, cwd=folder)
    kata("grade", "submitted", "--gradebook", "gradebook.db", cwd=folder, codes=(1,))
    plugin = "--exporter=attention_kata.nbgrader.plugins.KataExport"
    run("nbgrader", "export", plugin, "--to", "out.csv", cwd=folder)
    rows = [line.split(",") for line in (folder / "out.csv").read_text().splitlines()[1:]]
    assert [(row[0], row[3], row[4]) for row in rows] == [("ada", "waiting", ""), ("blaise", "missing", "")]


def test_canvas_is_filled_in_from_the_gradebook(graded, tmp_path):
    (tmp_path / "canvas.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Attention (7)\n    Points Possible,,,,,100\nAda,1,ada,ada,A,\n"
    )
    plugin = "--exporter=attention_kata.nbgrader.plugins.CanvasExport"
    into = f"--CanvasExport.into={tmp_path / 'canvas.csv'}"
    column = "--CanvasExport.column=Attention (7)"
    run("nbgrader", "export", plugin, into, column, "--to", tmp_path / "up.csv", cwd=graded[0])
    assert (tmp_path / "up.csv").read_text().splitlines()[2] == "Ada,1,ada,ada,A,100"


def test_moodles_worksheet_is_filled_in_from_the_gradebook(graded, tmp_path):
    (tmp_path / "moodle.csv").write_text(
        "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,Grade can be changed,"
        "Last modified (submission),Last modified (grade),Feedback comments\n"
        "Participant 1,Ada,ada,,Submitted,,20.00,Yes,-,-,\nParticipant 2,Nobody,nobody,,No submission,,20.00,Yes,-,-,\n"
    )
    plugin = "--exporter=attention_kata.nbgrader.plugins.MoodleExport"
    into = f"--MoodleExport.into={tmp_path / 'moodle.csv'}"
    run("nbgrader", "export", plugin, into, "--to", tmp_path / "up.csv", cwd=graded[0])
    ada, nobody = (line.split(",") for line in (tmp_path / "up.csv").read_text().splitlines()[1:3])
    assert (float(ada[5]), nobody[5]) == (20.0, "")


def test_a_wrong_format_is_one_line(graded):
    plugin = "--exporter=attention_kata.nbgrader.plugins.KataExport"
    said = run("nbgrader", "export", plugin, "--KataExport.format=xlsx", cwd=graded[0], codes=(1,))
    assert ("there is no format 'xlsx'" in said, "Traceback" in said) == (True, False)


@pytest.mark.parametrize(("hours", "penalty"), [(0, None), (1, 5.0), (30, 10.0), (24 * 9, 25.0)])
def test_the_late_plugin_follows_the_policy(hours, penalty):
    need_nbgrader()
    from attention_kata.nbgrader.plugins import KataLate

    assert KataLate(policy=POLICY).late_submission_penalty("ada", 50.0, hours * 3600.0) == penalty


def test_a_policy_that_cannot_be_read_is_refused_at_once():
    need_nbgrader()
    from traitlets import TraitError

    from attention_kata.nbgrader.plugins import KataLate

    with pytest.raises(TraitError, match="is not a late policy"):
        KataLate(policy="harsh")
