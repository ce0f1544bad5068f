"""One classroom of nbgrader's for all tests: released, handed in, then graded by nbgrader and by us."""

import json

import conftest
import pytest
from notebooks import (
    ASSIGNMENT,
    ROOT,
    answered,
    answers_from,
    cell_of,
    copy_of,
    hand_in,
    need_nbgrader,
    new_classroom,
    run,
    said,
)

ANSWERS = ROOT / "tests" / "answers"
DUE = "2026-12-01 23:59:00 UTC"
LATE = "2026-12-02 12:00:00.000000 UTC"  # within the first day
POLICY = "per-day 10% cap 50%"
LOUD = """import sys, threading, warnings
print("<b>loud</b>")
warnings.warn("careful")
print("on standard error", file=sys.stderr)
warnings.simplefilter("error")
torch.Tensor.__matmul__ = None
torch.softmax = None
get_ipython().showtraceback = lambda *args, **kwargs: None
"""


def loud(right):
    """Right and wrong and unfinished answers of somebody who prints, warns, patches torch, raises and crashes."""
    return {
        "attention_scores": LOUD + right["attention_scores"],
        "softmax": "def softmax(x, dim=-1):\n    print('in softmax')\n    return x.softmax(0)",
        "attention": right["attention"] + "\n\nraise RuntimeError('after the definition')",
        "padding_mask": "def padding_mask(lengths, max_len) return",
        "causal_mask": "def causal_mask(T, S=None):\n    import ctypes\n    ctypes.string_at(0)",
        "masked_softmax": "def masked_softmax(scores, mask):\n    raise ValueError('``` <script>alert(1)</script>')",
        "combine_masks": "def combine_masks(padding, causal):\n    return float('nan')",
        "split_heads": right["split_heads"].replace("    if", "    while n_heads == 5:\n        pass\n    if", 1),
        "merge_heads": "%%kata merge_heads\n" + right["merge_heads"],
    }


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """(course directory, released notebook) with three students' work in it, graded by nobody."""
    need_nbgrader()
    folder = tmp_path_factory.mktemp("classroom") / "course"
    notebook = new_classroom(folder)
    run("nbgrader", "db", "assignment", "add", ASSIGNMENT, f"--duedate={DUE}", cwd=folder)
    right = answers_from(ANSWERS / "right" / "articles")
    hand_in(folder, "ada", answered(notebook, right))
    hand_in(folder, "blaise", answered(notebook, answers_from(ANSWERS / "wrong" / "clever")), LATE)
    hand_in(folder, "kurt", answered(notebook, loud(right)))
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write('c.AssignLatePenalties.plugin_class = "attention_kata.nbgrader.plugins.KataLate"\n')
        config.write(f'c.KataLate.policy = "{POLICY}"\n')
    return folder, notebook


@pytest.fixture(scope="session")
def autograded(released, tmp_path_factory):
    """(course directory, what the program said): graded by `nbgrader autograde`."""
    folder = copy_of(released[0], tmp_path_factory.mktemp("nbgrader") / "course")
    return folder, run("nbgrader", "autograde", ASSIGNMENT, "--create", cwd=folder)


@pytest.fixture(scope="session")
def graded(released, tmp_path_factory):
    """(course directory, what the program said): graded by `kata grade --gradebook`."""
    folder = copy_of(released[0], tmp_path_factory.mktemp("kata") / "course")
    grade(folder)
    kata("due", "--late", POLICY, cwd=folder)  # the due date is the gradebook's own
    return folder, grade(folder)


def kata(*args, cwd, codes=(0,)):
    return said(conftest.kata(*args, cwd=cwd), codes)


def grade(folder, *options, codes=(0,)):
    command = ("grade", "submitted", "--gradebook", "gradebook.db", "--json", "grades.json", *options)
    return kata(*command, cwd=folder, codes=codes)


def by_cell(folder):
    """Student -> graded cell -> automatic score, from the gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        return {
            submission.student_id: {
                grade.cell.name: grade.auto_score for notebook in submission.notebooks for grade in notebook.grades
            }
            for submission in book.assignment_submissions(ASSIGNMENT)
        }


def by_exercise(folder):
    """Student -> exercise -> points, from `kata grade --json`."""
    found = json.loads((folder / "grades.json").read_text())["submissions"]
    return {each["student"]: {e["id"]: e["points"] for e in each["exercises"]} for each in found}


__all__ = ["autograded", "by_cell", "by_exercise", "cell_of", "grade", "graded", "kata", "released"]
