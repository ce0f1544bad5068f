"""The course's contract: points, names, and the proofs of `kata dev check` on one seed."""

import ast
from pathlib import Path

import pytest

from attention_kata.cli.screens import show_proof
from attention_kata.course.draw import choices, draw_cases, observe_all
from attention_kata.course.find import find_course
from attention_kata.course.proof import Counts, called_right, prove_exercise, static_problems, wrong_titles
from attention_kata.course.trials import Trials
from attention_kata.judge.diagnose import diagnose
from attention_kata.key.file import load_key

COURSE = find_course()
SOLUTIONS = {solution.name: (topic, solution) for topic, solution in COURSE.solutions}


def test_the_core_track_is_worth_100_points():
    assert sum(solution.points for _, solution in SOLUTIONS.values()) == 100


def test_the_exercises_are_those_of_the_stubs_in_their_order():
    written = []
    for topic in COURSE.modules:
        tree = ast.parse((COURSE.exercises / f"{topic}.py").read_text(encoding="utf-8"))
        written += [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert list(SOLUTIONS) == written


@pytest.mark.parametrize("name", SOLUTIONS)
def test_nothing_is_wrong_that_can_be_seen_without_running(name):
    assert list(static_problems(SOLUTIONS[name][1], COURSE.catalogue)) == []


@pytest.mark.parametrize("name", SOLUTIONS)
def test_right_answers_pass_and_mistakes_are_caught_and_named(name):
    topic, solution = SOLUTIONS[name]
    counts = prove_exercise(solution, f"{topic}.py", COURSE.catalogue, seed=5, with_pairs=False)
    assert (counts.problems, counts.named) == ([], counts.mistakes)


EVERY = 16  # choice of mistakes is tried; `kata dev check` tries them all


def test_nothing_that_is_wrong_is_called_right():
    """With the public key, on its own inputs, run in all cases."""
    called = 0
    for exercise in load_key(COURSE.public_key).exercises:
        _, solution = SOLUTIONS[exercise.name]
        chosen = [(ids, keywords) for ids, keywords in choices(solution) if ids][::EVERY]
        trials = Trials()
        for ids, keywords in chosen:
            seen = observe_all(solution, solution.variant(**keywords), exercise.cases, trials)
            right = called_right(diagnose(exercise, COURSE.catalogue, seen))
            assert right & wrong_titles(solution, keywords) == set(), (exercise.name, ids)
            called += len(right)
    assert called > 50


@pytest.mark.parametrize(("problems", "ending"), [(0, "everything holds."), (1, "1 problem."), (2, "2 problems.")])
def test_the_proof_ends_with_how_many_problems_there_are(capsys, problems, ending):
    show_proof({"double": Counts(problems=["it is odd"] * problems)}, seeds=1)
    assert capsys.readouterr().out.rstrip().endswith(f"; {ending}")


@pytest.mark.parametrize("name", SOLUTIONS)
def test_every_exercise_has_three_hints_without_code(name):
    hints = SOLUTIONS[name][1].hints
    assert (len(hints), [hint for hint in hints if "\n" in hint or "self." in hint]) == (3, [])


@pytest.mark.parametrize("name", SOLUTIONS)
def test_every_stub_has_a_prompt_with_shapes_example_and_source(name):
    topic, _ = SOLUTIONS[name]
    tree = ast.parse((COURSE.exercises / f"{topic}.py").read_text(encoding="utf-8"))
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name)
    prompt = ast.get_docstring(node) or ""
    assert [word for word in ("->", "Example", "section") if word.lower() not in prompt.lower()] == []


def test_no_two_axes_have_the_same_size():
    for _, solution in SOLUTIONS.values():
        assert len(set(solution.axes.values())) == len(solution.axes), solution.name


def test_inputs_are_the_same_for_the_same_seed():
    _, solution = SOLUTIONS["attention"]
    one, two = draw_cases(solution, 5), draw_cases(solution, 5)
    same = [(a.arrays[n] == b.arrays[n]).all() for a, b in zip(one, two, strict=True) for n in a.arrays]
    assert all(same)


def test_inputs_differ_for_another_seed():
    _, solution = SOLUTIONS["softmax"]
    one, two = draw_cases(solution, 5)[1], draw_cases(solution, 6)[1]  # the first is the prompt's
    assert not (one.arrays["0/x"] == two.arrays["0/x"]).any()


def test_every_topic_has_a_stub_and_a_solution():
    stubs = {path.name for path in COURSE.exercises.glob("*.py")}
    assert {f"{topic}.py" for topic in COURSE.modules} == stubs


def test_the_catalogue_spells_every_id_once():
    module = COURSE._import("catalogue")
    assert len({m.id for m in module.CATALOGUE}) == len(module.CATALOGUE)


def test_twins_share_their_words_and_name_each_other():
    for mistake in COURSE.catalogue.values():
        for twin in mistake.twins:
            other = COURSE.catalogue[twin]
            assert (other.message, other.question) == (mistake.message, mistake.question)
            assert mistake.id in other.twins


def test_hints_and_messages_do_not_name_files_of_the_solutions():
    assert not any("solutions" in m.message + m.question for m in COURSE.catalogue.values())


def test_the_solutions_are_beside_the_exercises():
    assert COURSE.solutions_path == Path(__file__).parent.parent / "solutions"
