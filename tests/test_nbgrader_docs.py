"""docs/nbgrader.md: every command in it is run, in its order, on a small assignment."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT
from notebooks import PUBLIC_KEY, answered, hand_in, need_nbgrader, read, run

from attention_kata import __version__

TEXT = (ROOT / "docs" / "nbgrader.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"<!-- run: (\w+) -->\n```sh\n(.*?)```", TEXT, re.DOTALL)
SMALL = f"--exercise merge_heads --key {PUBLIC_KEY}"  # so that it takes seconds
RIGHT = "def merge_heads(x):\n    return x.transpose(1, 2).flatten(2)"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course's folder after every block; the class hands in after the first."""
    need_nbgrader()
    folder = tmp_path_factory.mktemp("docs")
    for name, block in BLOCKS:
        script = block.replace("--assignment attention\n", f"--assignment attention {SMALL}\n")
        if name == "release":
            run("bash", "-euc", script, cwd=folder)
            _hand_in(folder / "course")
        else:
            run("bash", "-euc", script, cwd=folder / "course")
    return folder / "course"


def _hand_in(course):
    notebook = read(course / "release" / "attention" / "attention.ipynb")
    hand_in(course, "ada", answered(notebook, {"merge_heads": RIGHT}), "2026-12-02 12:00:00.000000 UTC")
    hand_in(course, "emmy", notebook)


def test_every_command_of_the_page_is_run():
    commands = re.findall(r"^(?:kata|nbgrader) .+$", TEXT, re.MULTILINE)
    assert [command for command in commands if command not in "".join(block for _, block in BLOCKS)] == []


def test_what_the_page_installs_is_to_be_had_and_is_what_the_tests_run_with():
    (command,) = re.findall(r"<!-- install -->\n```sh\n(pip install .*)\n```", TEXT)
    done = subprocess.run(
        ["bash", "-euc", command.replace("pip install", f"{sys.executable} -m pip install --dry-run")],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^Would install (.*)", done.stdout, re.MULTILINE) in ([], [f"attention-kata-{__version__}"])


def test_the_page_leads_to_exported_grades(course):
    rows = [line.split(",") for line in (course / "grades.csv").read_text().splitlines()[1:]]
    assert [(row[0], row[4], row[5]) for row in rows] == [("ada", "7", "7"), ("emmy", "0", "7")]


def test_the_page_leads_to_feedback(course):
    assert sorted(path.parts[-3] for path in (course / "feedback").glob("*/attention/*.html")) == ["ada", "emmy"]
