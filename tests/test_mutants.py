"""Mutants of code: what is made of a source, and the list of those that change nothing."""

import ast
import sys
from pathlib import Path

BENCHMARKS = str(Path(__file__).parent.parent / "benchmarks")
sys.path.insert(0, BENCHMARKS)
import mutants  # noqa: E402

sys.path.remove(BENCHMARKS)  # there is an nbgrader.py in it

SOURCE = """
def late(seconds, cap=None):
    \"\"\"How late.\"\"\"
    if not seconds:
        return None
    return min(seconds[1:], key=cap)
"""


def test_each_part_of_a_function_is_changed_once():
    made = list(mutants.mutants_of("late.py", ast.parse(SOURCE)))
    assert [(mutant.before, mutant.after) for mutant in made] == [
        ("not seconds", "seconds"),
        ("return min(seconds[1:], key=cap)", "return None"),
        ("min(seconds[1:], key=cap)", "min(seconds[1:])"),
        ("1:", ":"),
        ("1", "2"),
    ]
    assert {mutant.scope for mutant in made} == {("late",)}


def test_every_equivalent_mutant_that_is_listed_can_still_be_made():
    assert all(entry["why"] for entry in mutants.listed())
