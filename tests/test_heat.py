"""The small picture of a wrong result."""

import numpy as np
import pytest

from attention_kata.course.find import find_course
from attention_kata.judge.compare import Finding, FindingKind
from attention_kata.judge.numbers import MAX, heat_map
from attention_kata.key.file import load_key


@pytest.fixture(scope="module")
def exercise():
    return load_key(find_course().public_key).exercises[0]


def picture(exercise, shape, wrong):
    """The heat map of zeros in which the number at `wrong` should be 1."""
    found, expected = np.zeros(shape), np.zeros(shape)
    expected[wrong] = 1.0
    return heat_map(Finding(FindingKind.VALUES, "case", "output", found=found, expected=expected), exercise)


@pytest.mark.parametrize("wrong", [(0, 0), (4, 15), (4, 16), (2, 23), (39, 0), (39, 23)])
def test_the_first_wrong_number_is_in_the_picture_and_told_by_its_own_place(exercise, wrong):
    heat = picture(exercise, (40, 24), wrong)
    rows, columns = heat.first or (0, 0)
    assert heat.expected[wrong[0] - rows][wrong[1] - columns] == 1.0
    assert len(heat.found) <= MAX
    assert {len(row) for row in heat.found} == {MAX}


def test_the_picture_is_of_the_slice_that_has_the_first_wrong_number(exercise):
    heat = picture(exercise, (2, 3, 4, 6), (1, 2, 3, 5))
    assert heat.expected[3][5] == 1.0
    assert [word.split()[-1] for word in heat.at.split(", ")] == ["1", "2"]


def test_a_number_that_is_not_finite_is_none(exercise):
    found, expected = np.full((2, 3), np.nan), np.zeros((2, 3))
    heat = heat_map(Finding(FindingKind.VALUES, "case", "output", found=found, expected=expected), exercise)
    assert heat.found == [[None] * 3] * 2


@pytest.mark.parametrize(("found", "expected"), [((2, 3), (3, 2)), ((3,), (3,)), ((0, 3), (0, 3))])
def test_what_cannot_be_drawn_side_by_side_has_no_picture(exercise, found, expected):
    wrong = Finding(FindingKind.VALUES, "case", "output", found=np.ones(found), expected=np.zeros(expected))
    assert heat_map(wrong, exercise) is None
