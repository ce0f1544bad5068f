"""What is right for sure beside a mistake: only what would have shown beside it."""

import numpy as np

from attention_kata.course.clearing import clears
from attention_kata.judge.trace import Trace
from attention_kata.key.model import CLEARED_BY_ALL, CLEARED_BY_NUMBERS, NOT_CLEARED

MECHANISMS = (("scale",), ("axis",), ("mask", "fill"), ())


def row(*numbers):
    """A trace for each case; None where it was not run."""
    return tuple(None if n is None else Trace("float64[1]", np.full(4, float(n))) for n in numbers)


RIGHT = row(0, 0, 0)
DRAWN = {
    ("scale",): [row(1, 1, 0)],
    ("axis",): [row(2, 0, 0)],
    ("mask",): [row(0, 3, 0)],
    ("fill",): [row(0, 4, 0)],
    ("scale", "axis"): [row(3, 1, None)],
    ("scale", "mask"): [row(1, 5, None)],
    ("scale", "fill"): [row(1, 6, None)],
}


def cleared(drawn, of="scale", tells_pairs=(True, True, False), rows=None):
    """By mechanism, for the row of a mistake."""
    rows = rows or [((), RIGHT), *((ids, each) for ids, found in drawn.items() for each in found)]
    table = clears(rows, drawn, MECHANISMS, (1e-5,) * 3, tells_pairs)
    return table[[ids for ids, _ in rows].index((of,))].tolist()


def test_a_mechanism_is_cleared_when_each_of_its_mistakes_shows_beside_the_one_that_was_made():
    assert cleared(DRAWN) == [NOT_CLEARED, CLEARED_BY_NUMBERS, CLEARED_BY_NUMBERS, NOT_CLEARED]


def test_one_mistake_that_hides_behind_the_one_that_was_made_is_enough_for_silence():
    hidden = DRAWN | {("scale", "fill"): [row(1, 6, None), row(1, 1, None)]}
    assert cleared(hidden)[2] == NOT_CLEARED
    assert cleared(hidden)[1] == CLEARED_BY_NUMBERS
    assert cleared(DRAWN | {("scale", "fill"): [row(1 + 1e-6, 1, None)]})[2] == NOT_CLEARED


def test_what_was_not_run_together_clears_nothing():
    assert cleared({ids: found for ids, found in DRAWN.items() if ids != ("scale", "mask")})[2] == NOT_CLEARED
    assert cleared(DRAWN, of="axis") == [CLEARED_BY_NUMBERS, NOT_CLEARED, NOT_CLEARED, NOT_CLEARED]


def test_other_mistakes_that_look_the_same_are_enough_for_silence():
    assert cleared(DRAWN | {("axis", "mask"): [row(1, 1, None)]})[1:3] == [NOT_CLEARED, NOT_CLEARED]


def test_what_shows_in_cases_of_other_kinds_only_is_cleared_by_all():
    assert cleared(DRAWN | {("scale", "axis"): [row(1, 1, 7)]})[1] == CLEARED_BY_ALL


def test_a_row_of_two_mistakes_clears_nothing():
    rows = [(("scale", "axis"), row(3, 1, None))]
    assert clears(rows, DRAWN, MECHANISMS, (1e-5,) * 3, (True, True, False)).tolist() == [[NOT_CLEARED] * 4]
