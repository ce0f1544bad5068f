"""Where everything lives: which part of the package may import which, and that each says what it is for."""

import subprocess
import sys

import pytest
import rooms

FLOOR = {name: number for number, floor in enumerate(rooms.FLOORS) for name in floor}
SECRETS = {"file"}  # modules of key/ that the sandbox has no business with: what it needs are scripts and inputs


def test_every_room_has_its_floor():
    assert rooms.rooms() == set(FLOOR)


def test_nothing_climbs_and_nothing_goes_in_circles():
    climbing = [
        f"{path.relative_to(rooms.ROOT)}, line {line}: {'.'.join(module)}"
        for path, line, module in rooms.imports()
        if rooms.room(path) != module[0] and FLOOR[rooms.room(path)] <= FLOOR.get(module[0], 0)
    ]
    # The package itself greets IPython, in a function that is called long after everything is loaded.
    assert [each for each in climbing if "notebook.register" not in each] == []


def test_the_contract_would_notice():
    assert FLOOR["sandbox"] > FLOOR["key"]
    assert len(rooms.imports()) > 300


def test_what_is_expected_and_what_is_observed_meet_in_the_judge_alone():
    taken = {module[1] for path, _, module in rooms.imports() if rooms.room(path) == "sandbox" and module[0] == "key"}
    assert taken & SECRETS == set()
    assert "sandbox" not in rooms.arrows()["key"]


def test_the_confined_process_imports_nothing_else_of_ours():
    assert rooms.arrows().get("worker", set()) == set()


def test_the_top_level_holds_at_most_a_dozen_modules():
    assert len(list(rooms.PACKAGE.glob("*.py"))) <= 12


@pytest.mark.parametrize("name", sorted(rooms.rooms()))
def test_a_room_says_what_it_is_for(name):
    purpose = rooms.purposes()[name]
    assert len(purpose.split()) > 4
    if (rooms.PACKAGE / name).is_dir():
        assert "Imported by" in purpose.replace("\n", " ")


def test_the_picture_in_the_docs_is_drawn_from_the_code():
    assert rooms.picture() in rooms.DESIGN.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    ["notebook", "nbgrader.plugins", "export.autograder", "authoring", "model"],
)
def test_names_that_live_outside_this_repository_stay(name):
    code = f"import attention_kata.{name} as m; print(m.__name__)"
    run = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, f"attention_kata.{name}")


def test_a_course_of_somebody_elses_gets_its_values_where_it_always_did():
    from attention_kata import authoring, model

    assert (model.Mistake, model.Check) == (authoring.Mistake, authoring.Check)
