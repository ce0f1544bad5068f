"""What the README and the docs say is what the program does."""

import re
import shlex
import shutil
from dataclasses import replace

import pytest
from conftest import ROOT, kata

from attention_kata.course.find import find_course
from attention_kata.key.file import load_key, save_key

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(heading):
    """The first code block under a heading."""
    return re.search(rf"## {heading}\n.*?```sh\n(.*?)```", README, re.DOTALL)[1]


def commands(text):
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return [line.split()[1:] for line in lines if line.startswith("kata ")]


def test_the_readme_has_exactly_the_two_marked_commands():
    assert re.findall(r"<!-- run: (\w+) -->\n```sh\n.+\n```", README) == ["main", "tests"]


def test_the_learners_commands_run(tmp_path):
    said = commands(block("For learners"))
    assert kata(*said[0], cwd=tmp_path).returncode == 0
    codes = [kata(*command, cwd=tmp_path / "attention-kata").returncode for command in said[1:]]
    assert codes == [1, 1, 0, 0]  # nothing is written yet, so both checks fail


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The course with its first topic alone.  `.ci/run` draws a key for all of it."""
    folder, whole = tmp_path_factory.mktemp("small"), find_course()
    for name in ("exercises", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for stub in (folder / "exercises").glob("*.py"):
        if stub.name != "attention.py":
            stub.unlink()
    facts = folder / "solutions" / "course.toml"
    facts.write_text(re.sub("topics = .*", 'topics = ["attention"]', facts.read_text()))
    key = load_key(whole.public_key)
    own = tuple(exercise for exercise in key.exercises if exercise.file == "attention.py")
    save_key(replace(key, exercises=own), find_course(folder).public_key)
    return folder


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """A folder as the documents on grading want it."""
    folder = tmp_path_factory.mktemp("classroom")
    shutil.copytree(ROOT / "examples" / "class", folder / "class")
    names = "\n".join(f"{name},{name.title()},,{name}@example.org" for name in ("ada", "blaise", "emmy", "sofia"))
    (folder / "roster.csv").write_text(f"student_id,first_name,last_name,email\n{names}\n")
    return folder


def test_the_instructors_commands_and_those_on_grading_run_in_this_order(classroom, small):
    text = (ROOT / "docs" / "grading.md").read_text("utf-8")
    lines = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).splitlines()
    for line in [*lines, *block("For instructors").splitlines()]:
        command = shlex.split(line, comments=True)
        assert command[0] == "kata"
        course = ("--course", small) if command[1] in ("grade", "regrade") else ()
        run = kata(*command[1:], *course, cwd=classroom)
        assert run.returncode == 0, (line, run.stdout, run.stderr)
    for made in ("report.html", "feedback", "grades.csv"):
        assert (classroom / made).exists()


def test_every_command_the_readme_names_exists(tmp_path):
    for command in commands(block("For authors")):
        words = [word for word in command if word.islower() and "_" not in word and word != "attention"]
        assert kata(*words, "--help", cwd=tmp_path).returncode == 0


def test_the_message_the_readme_shows_is_what_the_example_gives():
    said = kata("check", "attention", "--dir", ROOT / "examples" / "class" / "blaise", cwd=ROOT).stdout
    shown = README.split("```")[1]
    flat = " ".join(said.split())
    missing = [line.strip() for line in shown.strip().splitlines() if " ".join(line.split()) not in flat]
    assert missing == []


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda p: p.name)
def test_links_in_the_docs_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_links_in_the_readme_lead_somewhere():
    assert [link for link in re.findall(r"\]\(([^)#:]+)\)", README) if not (ROOT / link).exists()] == []


def test_the_layers_in_the_docs_are_those_of_the_program():
    from attention_kata.sandbox.layers import LAYERS

    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", (ROOT / "docs" / "isolation.md").read_text("utf-8"), re.MULTILINE)
    assert dict(rows) == {name: layer.stops for name, layer in LAYERS.items()}


def test_every_benchmark_is_in_the_docs_and_the_other_way_round():
    named = re.findall(r"`python (benchmarks/\w+\.py)`", (ROOT / "docs" / "benchmarks.md").read_text("utf-8"))
    assert sorted(named) == sorted(f"benchmarks/{path.name}" for path in (ROOT / "benchmarks").glob("*.py"))
