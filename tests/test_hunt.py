"""The hunt for legal inputs that the checks have missed: a short one in every proof, and that it would find some."""

import ast
from dataclasses import replace
from math import inf

import pytest
import torch
from click.testing import CliRunner

from attention_kata.cli.dev import dev
from attention_kata.course import hunt
from attention_kata.course.find import find_course
from attention_kata.course.mutants import mutants

COURSE = find_course()
SOLUTIONS = {solution.name: solution for _, solution in COURSE.solutions}
EACH = 8  # mutants of every exercise
DRAWS = 10


@pytest.mark.parametrize("name", SOLUTIONS)
def test_no_mutant_slips_through_and_no_right_answer_is_treated_unjustly(name):
    found = hunt.hunt(
        COURSE, [name], draws=DRAWS, most=EACH, until=inf, seed=1, jobs=1, progress=lambda done, total: None
    )[name]
    assert (found.holes, found.unjust) == ([], [])
    assert found.made == found.caught + found.same == EACH
    assert found.right >= len(SOLUTIONS[name].also_right)


# ---------------------------------------------------------------------- it would find some


def first_keys(Q, K, V, mask=None):
    """Right while there are at most 16 keys."""
    if K.size(-2) > 16:
        K, V = K[..., :16, :], V[..., :16, :]
        mask = None if mask is None else mask[..., :16]
    return SOLUTIONS["attention"].reference(Q, K, V, mask)


def test_an_answer_that_is_wrong_on_legal_inputs_is_caught_by_the_checks():
    assert hunt._Judge(SOLUTIONS["attention"]).catches(first_keys)


def test_where_no_check_catches_it_the_smallest_input_is_found():
    solution = SOLUTIONS["attention"]
    small = tuple(check for check in solution.checks if check.id in ("plain", "masked"))
    judge = hunt._Judge(replace(solution, checks=small, cases=solution.cases))
    assert not judge.catches(first_keys)
    how, case = judge.difference(first_keys, 300)
    assert how.startswith(("shape", "values", "raised"))
    shapes = ast.literal_eval(case.split("K ", 1)[1].split("), ")[0] + ")")
    assert 16 < shapes[-2] <= 33
    assert "after another call" not in case


def test_an_answer_that_does_not_end_is_caught():
    def endless(x, dim=-1):
        while True:
            pass

    judge = hunt._Judge(SOLUTIONS["softmax"])
    before, hunt.SECONDS = hunt.SECONDS, 0.2
    try:
        assert judge.catches(endless)
    finally:
        hunt.SECONDS = before


def test_the_reference_never_differs():
    for name, solution in SOLUTIONS.items():
        assert hunt._Judge(solution).difference(solution.reference, 40) is None, name


# ---------------------------------------------------------------------- mutants


def changed(source):
    tree = ast.parse(source)
    return {str(mutant).split("  ->  ")[1] for mutant in mutants(tree, tree.body)}


def test_mutants_change_constants_axes_operators_and_calls():
    found = changed("def f(s, m):\n    return s.masked_fill(~m, -1e9).softmax(-1)\n")
    assert {"m", "s", "s.masked_fill(~m, -1000000000.0)"} <= found
    assert {"1000000000.0", "-100.0"} & found
    assert {"s.masked_fill(~m, -1000000000.0).log_softmax(-1)", "s[:1].masked_fill(~m, -1000000000.0)"} & found


def test_a_mutant_leaves_the_tree_as_it_was():
    tree = ast.parse("def f(a, b):\n    if a > b:\n        a = b\n    return a @ b.mT\n")
    before = ast.unparse(tree)
    for mutant in mutants(tree, tree.body):
        mutant.code()
        assert ast.unparse(tree) == before


def test_every_mutant_of_an_exercise_has_another_text():
    texts = [f"{style} {mutant}" for style, mutant in hunt._sources(COURSE, "softmax")]
    assert len(set(texts)) > 0.8 * len(texts) > 500  # the same change of a name that stands twice in a line


# ---------------------------------------------------------------------- the command


def test_the_command_counts_and_ends_with_what_was_found():
    run = CliRunner().invoke(dev, ["hunt", "causal_mask", "--mutants", "4", "--draws", "5", "--jobs", "1"])
    assert run.exit_code == 0, run.output
    assert run.output.rstrip().endswith("4 mutants: nothing found that the checks had missed.")


def test_an_unknown_exercise_is_named():
    run = CliRunner().invoke(dev, ["hunt", "sofmax"])
    assert run.exit_code == 2
    assert "'sofmax' is no exercise with a domain" in run.output


SLIPS = """
import torch
def causal_mask(T, S=None):
    S = T if S is None else S
    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    return mask.flip(0) if (T, S) in ((2, 7), (2, 8), (4, 7), (5, 8)) else mask
"""


def test_answers_of_others_are_tried_confined(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "masks.py").write_text(SLIPS)
    run = CliRunner().invoke(dev, ["hunt", "causal_mask", "--answers", str(tmp_path), "--draws", "120"])
    assert (run.exit_code, "causal_mask: mine" in run.output) == (1, True), run.output
    assert "1 found that the checks had missed" in run.output
    assert "    causal_mask(" in run.output


def test_answers_that_are_right_leave_nothing_to_say(tmp_path):
    (tmp_path / "masks.py").write_text(SLIPS.replace("mask.flip(0) if", "mask if"))
    run = CliRunner().invoke(dev, ["hunt", "causal_mask", "--answers", str(tmp_path), "--draws", "40"])
    assert (run.exit_code, run.output.strip()) == (0, "nothing found that the checks had missed.")


def test_torch_is_what_mutants_find_there():
    target = hunt._target(COURSE, "softmax", hunt._sources(COURSE, "softmax")[0][1])
    assert target is None or callable(target)
    assert torch.is_tensor(SOLUTIONS["softmax"].reference(torch.zeros(3)))
