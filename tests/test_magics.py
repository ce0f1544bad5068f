"""Exercises in a notebook: `%%kata`, `%kata`, and what is shown of a result."""

import json
import sys

import pytest
from conftest import ROOT
from msgspec import structs
from notebooks import EXERCISES, PUBLIC_KEY, need_nbgrader

from attention_kata.intake.notebooks.cells import notebook_source
from attention_kata.judge.evidence import (
    CheckEvidence,
    CourseVersion,
    Details,
    Evidence,
    ExerciseEvidence,
    Heat,
    VerdictKind,
)
from attention_kata.judge.recognise import Confidence
from attention_kata.key.model import Category
from attention_kata.notebook.assignment import part_of, points, share
from attention_kata.notebook.client import Client
from attention_kata.notebook.heatmap import heat_maps
from attention_kata.notebook.html import brief, full, in_text
from attention_kata.notebook.keys import find_key, key_path

SPLIT = "import torch\n\n\ndef split_heads(x, n_heads):\n    {}"
VIEW = SPLIT.format("print('<script>alert(1)</script>')\n    return x.view(x.size(0), n_heads, x.size(1), -1)")
FORBIDDEN = ("<script>alert", "<img src=x", "\x1b[")


def outputs_of(cell):
    """(stream texts, errors, html) of an executed cell."""
    streams = "".join(o["text"] for o in cell.outputs if o.output_type == "stream")
    errors = [f"{o.ename}: {o.evalue}" for o in cell.outputs if o.output_type == "error"]
    html = "".join(o["data"].get("text/html", "") for o in cell.outputs if "data" in o)
    return streams, errors, html


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Cells of one notebook after a run in a real kernel, by what they begin with."""
    need_nbgrader()  # a kernel comes with it
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    sources = [
        "%load_ext attention_kata",
        f"%%kata split_heads\n{VIEW}",
        "%kata list",
        "%kata hint split_heads 2",
        "%kata split_haeds",
        "%%kata softmax\ndef softmax(x, dim=-1):\n    e = helper(x, dim)\n    return e / e.sum(dim, True)\nnope",
        "def helper(x, dim):\n    return (x - x.amax(dim, keepdim=True)).exp()",
        "%kata softmax",
        "%kata hint softmax 9",
        "%kata",
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(notebook, allow_errors=True, timeout=240, resources={"metadata": {"path": str(folder)}}).execute()
    return {cell.source: outputs_of(cell) for cell in notebook.cells}


def output(executed, start):
    return next(found for source, found in executed.items() if source.startswith(start))


def test_a_cell_is_run_and_checked_and_its_mistake_is_named(executed):
    html = output(executed, "%%kata split_heads")[2]
    assert "Your heads cut up the sequence" in html


def test_a_wrong_result_is_drawn_as_heat_maps(executed):
    html = output(executed, "%%kata split_heads")[2]
    assert ("expected" in html, html.count("<table") >= 2) == (True, True)


def test_what_the_code_printed_is_shown_escaped(executed):
    html = output(executed, "%%kata split_heads")[2]
    assert ("&lt;script&gt;alert(1)&lt;/script&gt;" in html, "<script" in html) == (True, False)


def test_a_cell_that_raises_is_not_checked(executed):
    _, errors, html = output(executed, "%%kata softmax")
    assert (errors, html) == (["NameError: name 'nope' is not defined"], "")


def test_an_exercise_is_checked_with_the_cells_it_depends_on(executed):
    assert "6 of 6 points" in output(executed, "%kata softmax")[2]


def test_list_and_hint_are_shown(executed):
    assert f"{len(EXERCISES)} exercises, 100 points" in output(executed, "%kata list")[2]
    assert "split_heads, hint 2 of 3" in output(executed, "%kata hint split_heads")[2]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("%kata split_haeds", "Did you mean split_heads?"),
        ("%kata hint softmax 9", "'9' is not a level: 1, 2 or 3."),
    ],
)
def test_a_slip_is_answered_in_one_line(executed, line, said):
    streams, errors, _ = output(executed, line)
    assert (said in streams, errors) == (True, [])


# ---------------------------------------------------------------------- the judge


@pytest.fixture(scope="module")
def client():
    return Client()


def test_a_judge_answers_about_cells(client):
    answer = client.ask({"cells": [SPLIT.format("raise NotImplementedError")], "exercise": "split_heads"})
    [exercise] = answer["evidence"]["exercises"]
    assert (exercise["points"], exercise["not_started"]) == (0, True)


def test_the_last_definition_counts(client):
    right = SPLIT.format(
        "if x.size(2) % n_heads: raise ValueError\n    return x.unflatten(2, (n_heads, -1)).transpose(1, 2)"
    )
    answer = client.ask({"cells": [VIEW, right], "exercise": "split_heads"})
    assert answer["evidence"]["points"] == 8


def test_a_folder_above_which_there_is_no_key_is_no_zero(client, tmp_path):
    answer = client.ask({"folder": str(tmp_path / "autograded" / "ada" / "ps1"), "secret": True})
    assert "there is no answer key for ps1" in answer["problem"]


def test_of_a_secret_key_no_number_is_told(client, tmp_path):
    key = key_path(tmp_path, "ps1")
    key.parent.mkdir()
    key.write_bytes(PUBLIC_KEY.read_bytes())
    folder = tmp_path / "autograded" / "ada" / "ps1"
    folder.mkdir(parents=True)
    (folder / "ps1.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": VIEW}], "nbformat": 4}))
    found = client.ask({"folder": str(folder), "secret": True})["evidence"]
    checks = [check for exercise in found["exercises"] for check in exercise["checks"]]
    numbers = [value for check in checks for value in check["details"].values() if value]
    facts = [check for check in checks if "said" in check or "elsewhere" in check]
    assert (found["points"] > 0, numbers, facts, found["output"]) == (True, [], [], "")


def test_an_unknown_exercise_is_a_problem_in_words(client):
    assert "there is no exercise 'x'" in client.ask({"cells": [], "exercise": "x"})["problem"]


def test_a_judge_that_ended_is_replaced(client):
    client.ask({"cells": [], "exercise": "x"})
    client._process.kill()
    client._process.wait()
    assert "problem" in client.ask({"cells": [], "exercise": "x"})


def test_the_key_of_an_assignment_is_found_from_any_step(tmp_path):
    key = key_path(tmp_path, "ps1")
    key.parent.mkdir()
    key.touch()
    folders = (
        tmp_path / "source" / "ps1",
        tmp_path / "autograded" / "ada" / "ps1",
        tmp_path / "autograded" / "ada" / "x",
    )
    assert [find_key(folder) for folder in folders] == [key, key, None]


def test_the_magic_needs_neither_torch_nor_ipython_to_be_imported():
    import subprocess

    code = "import sys, attention_kata.notebook; print({'torch', 'IPython', 'nbgrader'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"


# ---------------------------------------------------------------------- what is shown


def evidence(**changes):
    details = Details(first_mismatch="<script>alert(3)</script>")
    check = CheckEvidence(
        id="values", category=Category.VALUES, title="<img src=x>", verdict=VerdictKind.FAILED, points=0.0,
        max_points=2.0, mistakes=(), confidence=Confidence.NONE, message="<script>alert(1)</script>\x1b[31m",
        hint="<script>alert(2)</script>", learner_line=1, seconds=0.0, details=details,
    )  # fmt: skip
    exercise = ExerciseEvidence(
        id="softmax", file="attention.py", points=0.0, max_points=2.0, not_started=False,
        checks=(structs.replace(check, **changes),),
    )  # fmt: skip
    found = Evidence(
        schema=2, course=CourseVersion("c", "1"), student=None, points=0.0, max_points=2.0, exercises=(exercise,),
        output="<script>alert(4)</script>\x1b[2J", isolation={"mode": "process"},
    )  # fmt: skip
    return found, exercise


def test_nothing_a_student_wrote_gets_into_the_page():
    found, exercise = evidence()
    pages = (full(found, exercise).html, brief(exercise).html)
    assert [word for word in FORBIDDEN for page in pages if word in page] == []


def test_the_form_for_terminals_holds_no_control_codes():
    assert "\x1b" not in in_text(evidence()[1])


def test_without_a_sandbox_it_says_so():
    assert "without a full sandbox" in full(*evidence()).html


def test_the_brief_form_shows_no_number_of_the_key():
    heat = Heat(name="r", rows="T", columns="S", at="", expected=[[0.123]], found=[[9.0]])
    exercise = evidence(details=Details(first_mismatch="expected 0.123", heat=heat))[1]
    assert "0.123" not in brief(exercise).html


def test_heat_maps_frame_what_is_wrong():
    heat = Heat(name="<r>", rows="T", columns="S", at="B 0", expected=[[1.0, 2.0]], found=[[1.0, None]])
    html = heat_maps(heat)
    assert (html.count("outline:2px"), "not finite" in html, "<r>" in html) == (1, True, False)


@pytest.mark.parametrize(("got", "shown"), [(1.5, 1.5), (9.0, 2.0), (-1.0, 0.0)])
def test_points_of_a_cell_are_clamped(got, shown):
    [check] = evidence(points=got)[1].checks
    checks = [check, structs.replace(check, category=Category.MASK, points=1.0, max_points=1.0)]
    assert (points(checks, "check"), points(checks, "hidden"), part_of("style")) == (shown, 1.0, "hidden")


def test_the_points_of_a_cell_are_those_of_its_categories():
    assert share([("values", 2.0), ("mask", 0.1), ("shape", 1.0), ("style", 0.2)], "hidden") == 0.3


def test_points_that_are_no_number_are_an_error_and_not_full_marks():
    with pytest.raises(ValueError, match="nan"):
        points(evidence(points=float("nan"))[1].checks, "check")


# ---------------------------------------------------------------------- what is read


def notebook(*cells):
    return json.dumps(
        {"cells": [{"cell_type": "code", "source": s, "metadata": {"nbgrader": m}} for s, m in cells]}
    ).encode()


def test_a_cell_under_the_magic_is_read_like_any_other():
    assert "def softmax" in notebook_source(notebook(("%%kata softmax\ndef softmax(x): return x", {}))).text


def test_what_stands_in_a_locked_cell_is_not_the_students():
    locked = {"grade_id": "softmax-check", "locked": True, "grade": True, "solution": False}
    assert notebook_source(notebook(("def softmax(x): return x", locked))).text == ""


def test_of_two_locked_cells_with_one_id_the_first_is_a_copy_of_the_students():
    locked = {"grade_id": "softmax-check", "locked": True, "grade": True, "solution": False}
    text = notebook_source(notebook(("def a(): pass", locked), ("def b(): pass", locked))).text
    assert ("def a" in text, "def b" in text) == (True, False)
