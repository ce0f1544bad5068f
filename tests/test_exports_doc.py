"""Every command of docs/exports.md does what the text around it says, and every format is in it."""

import json
import re
import shlex
import subprocess

import pytest
from classes import make_class
from conftest import ROOT, environment, kata, right, write

from attention_kata.export import FORMATS
from attention_kata.key.file import load_key, save_key

DOC = (ROOT / "docs" / "exports.md").read_text("utf-8")
WORKFLOW = (ROOT / "docs" / "classroom.yml").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", DOC, re.DOTALL) for line in block.splitlines()]
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,Attention (4711)\n    Points Possible,,,,,100\nA,,ada,,S,\n"
MOODLE = "Identifier,Full name,Grade,Maximum grade,Last modified (grade)\nParticipant 1,Ada L,,10.00,-\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """An instructor's folder, with what the commands name in it."""
    folder = tmp_path_factory.mktemp("desk")
    with make_class(folder / "grades.db", 6, names=("Ada L",)) as grades:
        save_key(grades.key(), folder / "secret.key")
        for table, column in (("students", "id"), ("attempts", "student"), ("results", "student")):
            grades._write(f"UPDATE {table} SET {column} = 'ada' WHERE {column} = 's00000'")
    write(folder, {"canvas.csv": CANVAS, "worksheet.csv": MOODLE, "users.csv": "Username\nada\n"})
    write(folder, {"attention.py": right("attention")})
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs_and_writes_what_it_names(desk, command):
    words, _, target = command.partition(" > ")
    run = kata(*shlex.split(words)[1:], cwd=desk)
    assert run.returncode == (1 if "check" in shlex.split(words)[1] else 0), run.stderr
    if target:
        (desk / target).write_text(run.stdout)
    out = re.search(r"--out (\S+)", words)
    if out and out[1] != "-":
        assert (desk / out[1]).stat().st_size > 20


def test_the_commands_that_fill_in_wrote_the_grade(desk):
    for command in COMMANDS:
        if " canvas " in command or " moodle " in command or "--into users.csv" in command:
            kata(*shlex.split(command)[1:], cwd=desk)
    assert (desk / "canvas-filled.csv").read_text().endswith("A,,ada,,S,70\n")
    assert (desk / "worksheet-filled.csv").read_text().endswith("Participant 1,Ada L,7,10.00,-\n")
    assert (desk / "import.csv").read_text().split() == ["username,Attention", "ada,70"]
    assert load_key(desk / "secret.key").course == "attention"


def test_every_format_is_in_the_docs_and_no_other():
    used = {word for command in COMMANDS for word in re.findall(r"^kata export (\S+)", command)}
    assert used == set(FORMATS)


def test_the_step_of_the_workflow_leaves_its_result(tmp_path):
    """The shell lines of the workflow, really run as its step."""
    step = re.search(r"run: \|\n((?: {10}.*\n)+)", WORKFLOW)[1]
    write(tmp_path, {"attention.py": right("attention")})
    env = environment(GITHUB_OUTPUT=str(tmp_path / "output"))
    subprocess.run(["bash", "-e", "-c", step], cwd=tmp_path, env=env, check=True, capture_output=True)
    name, _, value = (tmp_path / "output").read_text().partition("=")
    assert name == "result"
    decoded = subprocess.run(["base64", "-d"], input=value, capture_output=True, text=True, check=True).stdout
    result = json.loads(decoded)
    assert (result["version"], result["status"], result["max_score"]) == (1, "fail", 100.0)
    assert "KATA_RESULTS: ${{ steps.kata.outputs.result }}" in WORKFLOW
