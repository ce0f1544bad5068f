"""Notebooks that students hand in, made from a released one, and a classroom of nbgrader's to grade them in."""

import ast
import json
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ROOT, WARM, environment, kata

from attention_kata.course.find import find_course
from attention_kata.key.file import load_key

ASSIGNMENT = "attention"
NBGRADER = find_spec("nbgrader") is not None
PUBLIC_KEY = find_course().public_key
EXERCISES = load_key(PUBLIC_KEY).exercises


def need_nbgrader():
    """Skip without nbgrader; in CI, where it is installed, its absence is a failure."""
    if not NBGRADER:
        if os.environ.get("CI"):
            pytest.fail("nbgrader is missing: pip install -e '.[dev]'")
        pytest.skip("nbgrader is not installed")


def run(*command, cwd, codes=(0,), **env):
    """Run a program that stands beside this Python; nbgrader itself looks for alembic on PATH."""
    if WARM is not None and command[0] == "nbgrader" and not env:
        return said(WARM.run("nbgrader", [*map(str, command[1:])], cwd, environment()), codes)
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
        env=environment(**env),
    )  # fmt: skip
    return said(done, codes)


def said(done, codes=(0,)):
    """All that a program said, which ended with one of these codes."""
    assert done.returncode in codes, f"{done.args}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"
    return done.stdout + done.stderr


def read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def source_of(cell):
    return "".join(cell["source"])


def cell_of(notebook, grade_id):
    return next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def answered(notebook, answers):
    """A copy of the released notebook with the text `answers[exercise]` in the answer cells."""
    copy = json.loads(json.dumps(notebook))
    for name, text in answers.items():
        cell_of(copy, name)["source"] = text
    return copy


def answers_from(folder):
    """Exercise -> text, from topic files: each definition in its own cell, the rest in the first cell of its topic."""
    answers = {}
    for topic in dict.fromkeys(e.file for e in EXERCISES):
        path = folder / topic
        if path.exists():
            answers |= _split(path.read_text(encoding="utf-8"), [e.name for e in EXERCISES if e.file == topic])
    return answers


def _split(text, names):
    lines, own, parts = text.splitlines(), set(), {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            parts[node.name] = "\n".join(lines[first - 1 : node.end_lineno])
            own |= set(range(first, node.end_lineno + 1))
    rest = "\n".join(line for number, line in enumerate(lines, 1) if number not in own).strip()
    first = next((name for name in names if name in parts), names[0])
    whole = "\n\n\n".join(filter(None, (rest, parts.get(first, ""))))
    return {**parts, first: whole}


def hand_in(classroom, student, notebook, time="2026-12-01 12:00:00.000000 UTC", name=ASSIGNMENT):
    """Put a notebook, as a dict or as bytes, where nbgrader collects it."""
    folder = classroom / "submitted" / student / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
    (folder / f"{name}.ipynb").write_bytes(data)
    if time:
        (folder / "timestamp.txt").write_text(time)


def new_classroom(folder, *options):
    """A course of nbgrader with the whole assignment released, graded with the public key."""
    said(kata("release", "--nbgrader", folder, "--key", PUBLIC_KEY, *options, cwd=ROOT))
    run("nbgrader", "generate_assignment", ASSIGNMENT, cwd=folder)
    return read(folder / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb")


def copy_of(classroom, folder):
    """A copy of a classroom, without what nbgrader has graded in it."""
    shutil.copytree(classroom, folder, ignore=shutil.ignore_patterns("autograded", "feedback", "grades.db*"))
    return folder
