"""The main screens, word for word, as the program prints them: a change of words is seen in tests/__snapshots__/.

`pytest -n0 tests/test_screens.py --snapshot-update` writes them again; read the difference before you commit it.
"""

import re

import pytest
from conftest import ROOT, kata, right, write

from attention_kata.sandbox.layers import sandbox_exists

PUBLIC_KEY = ROOT / "grader" / "attention_kata" / "public.key.safetensors"


def screen(*args, cwd, columns=100):
    """Everything that a run shows, without what differs between machines."""
    run = kata(*args, cwd=cwd, COLUMNS=str(columns))
    return f"{_masked(run.stdout)}-- standard error\n{_masked(run.stderr)}-- exit code {run.returncode}\n"


def _masked(text):
    text = re.sub(r"^(Isolation: full), .*$", r"\1, ...", text, flags=re.MULTILINE)
    text = re.sub(r"^Slowest: .*\n|^kata: \d+ of \d+ submissions, .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"(How many workers run at once\. +│\n│ +\[default: )\d+\] *│", r"\1...] │", text)
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


# ---------------------------------------------------------------------- help


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("command", [(), ("check",)], ids=["kata", "check"])
def test_help_for_learners(command, columns, tmp_path, snapshot):
    assert screen(*command, "--help", cwd=tmp_path, columns=columns) == snapshot


@pytest.mark.parametrize("command", ["grade", "export", "feedback", "adjust"])
def test_help_for_instructors(command, tmp_path, snapshot):
    assert screen(command, "--help", cwd=tmp_path) == snapshot


# ---------------------------------------------------------------------- learning


def test_the_list_of_exercises(tmp_path, snapshot):
    assert screen("list", cwd=tmp_path) == snapshot


@pytest.mark.parametrize("level", [1, 3])
def test_a_hint(level, tmp_path, snapshot):
    assert screen("hint", "split_heads", level, cwd=tmp_path) == snapshot


def test_a_check_of_stubs(stubs, snapshot):
    assert screen("check", cwd=stubs) == snapshot


def test_a_check_with_a_named_mistake(tmp_path, snapshot):
    write(tmp_path, {"attention.py": right("attention").replace("mask == 0", "mask != 0")})
    assert screen("check", "attention", cwd=tmp_path) == snapshot


def test_a_check_with_full_marks(tmp_path, snapshot):
    write(tmp_path, {"heads.py": right("heads")})
    assert screen("check", "heads", cwd=tmp_path) == snapshot


def test_a_check_with_a_syntax_error(tmp_path, snapshot):
    write(tmp_path, {"heads.py": right("heads").replace("def merge_heads(x):", "def merge_heads(x:")})
    assert screen("check", "heads", cwd=tmp_path) == snapshot


@pytest.mark.parametrize(
    "command",
    [
        ("check", "sofmax"),
        ("hint", "nothing_like_it"),
        ("check",),  # where no exercise files are
        ("check", "--dir", "nowhere"),
        ("grade", "nowhere"),
        ("report",),  # before anything is graded
        ("export", "csv", "--student", "ada", "--out", "-"),
    ],
    ids=" ".join,
)
def test_a_command_that_cannot_be_carried_out(command, tmp_path, snapshot):
    assert screen(*command, cwd=tmp_path) == snapshot


# ---------------------------------------------------------------------- teaching


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A small class with a roster, graded with the public key -> the folder, and the screen."""
    folder = tmp_path_factory.mktemp("graded")
    inverted = right("attention").replace("mask == 0", "mask != 0")
    files = {"class/ada/attention.py": right("attention"), "class/blaise/attention.py": inverted}
    files |= {"class/grace/attention.py": b"\xff", "class/emmy/attention.py": right("attention") + "\n)"}
    files["roster.csv"] = "student_id,first_name,last_name\nada,Ada,L\nblaise,Blaise,P\ngrace,Grace,H\nsofia,Sofia,K\n"
    write(folder, files)
    options = ("--roster", "roster.csv", "--exercise", "attention.py", "--key", PUBLIC_KEY, "--jobs", 1)
    return folder, screen("grade", "class", *options, cwd=folder)


needs_sandbox = pytest.mark.skipif(not sandbox_exists(), reason="kata grade needs a sandbox, which is Linux's")


@needs_sandbox
def test_a_class_that_is_graded(graded, snapshot):
    assert graded[1] == snapshot


@needs_sandbox
def test_a_page_of_feedback(graded, snapshot):
    folder, _ = graded
    run = kata("feedback", "--out", "feedback", "--format", "markdown", "--student", "blaise", cwd=folder)
    assert run.stderr == ""
    [page] = (folder / "feedback").glob("*.md")
    assert page.read_text("utf-8") == snapshot
