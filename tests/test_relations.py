"""How a wrong array relates to the right one: said where it holds, and nothing where it does not."""

import numpy as np
import pytest
from judged import AXES, numbers

from attention_kata.judge.relations import axis_names, relation, shape_in_words, shape_relation
from attention_kata.messages.said import said

X = numbers(2, 3, 4)
NAMES = {"B": 2, "H": 3, "T": 4}


@pytest.mark.parametrize(
    ("found", "expected", "sentence"),
    [
        (X.swapaxes(1, 2), X, said("axes-exchanged", axes=("H", "T"))),
        (X.transpose(1, 2, 0), X, said("axes-exchanged", axes=("B", "H", "T"))),
        (numbers(2, 3), numbers(2, 3).T, said("axes-exchanged", axes=("H", "B"))),
        (numbers(2, 3, 4, 6).swapaxes(0, 3), numbers(2, 3, 4, 6), said("axes-exchanged", axes=("B", "S"))),
        (X.mean(0), X, said("averaged", axis="B")),
        (X.mean(2), X, said("averaged", axis="T")),
        (X.sum(1), X, said("summed", axis="H")),
        (X.max(1), X, None),
        (X.reshape(4, 6), X, said("reshaped")),
        (X.reshape(4, 6) * [1, 1, 1, 1, 1, -1], X, None),
        (X.ravel()[:-1], X, None),
        (3 * X, X, said("factor", number="3")),
        (-X / 3, X, said("factor", number="-0.3333")),
        (X - 0.125, X, said("offset", number="-0.125")),
        (np.zeros((2, 3, 4)), X, None),
        (1e-7 * X, X, None),
        (X[::-1], X, said("reversed", axis="B")),
        (X[:, :, ::-1], X, said("reversed", axis="T")),
        (X**2, X, None),
        (X[:, :2], X, None),
        (np.zeros((2, 2)), np.zeros((2, 2)), said("axes-exchanged", axes=("B", "B"))),
        (np.ones(3), np.zeros(3), None),
    ],
)
def test_the_relation_of_two_arrays_of_numbers(found, expected, sentence):
    names = NAMES | {"S": 6} if expected.ndim == 4 else NAMES
    assert relation(found, expected, names) == sentence


def test_more_than_four_axes_are_not_permuted():
    x = numbers(1, 2, 3, 4, 5)
    assert relation(x.swapaxes(1, 2), x, {}) is None
    assert relation(x[0].swapaxes(1, 2), x[0], {}) == said("axes-exchanged", axes=("axis 1", "axis 2"))


def test_an_axis_of_one_has_nothing_to_average():
    x = numbers(1, 4)
    assert relation(x[0], x, {"T": 4}) == said("reshaped")
    y = numbers(1, 4, 3)
    assert relation(y.mean(1), y, {"T": 4, "H": 3}) == said("averaged", axis="T")
    two_more = numbers(2, 3, 4)
    assert relation(two_more.mean((0, 1)), two_more, NAMES) is None


@pytest.mark.parametrize(("size", "holds"), [(9e-7, True), (4e-6, False)])
def test_a_relation_holds_to_a_millionth(size, holds):
    x = np.array([[1.0, 0.0, -1.0], [0.5, 0.25, 0.0]])
    almost = x.T.copy()
    almost[0, 0] += size
    assert (relation(almost, x, NAMES) == said("axes-exchanged", axes=("B", "H"))) is holds


def test_a_factor_of_next_to_nothing_is_none():
    x = np.array([1.0, 2.0, -4.0])
    assert relation(1.1e-6 * x, x, {}) == said("factor", number="1.1e-06")
    assert relation(0.9e-6 * x, x, {}) is None


def test_overflow_is_no_relation_and_no_warning(recwarn):
    x = np.array([1e200, 2e200, -1e300])
    assert relation(x[[1, 0, 2]], x, {}) is None
    assert not recwarn.list


MASK = np.array([[True, False, True], [True, True, False]])


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (~MASK, said("mask-inverted")),
        (MASK & [[True, True, False], [False, True, True]], said("mask-false", number=2)),
        (MASK | [[False, True, False], [False, False, True]], said("mask-true", number=2)),
        (np.zeros((2, 3), bool), said("mask-false", number=4)),
        (np.ones((2, 3), bool), said("mask-true", number=2)),
        (MASK[:, [1, 0, 2]], None),
        (~MASK[None], None),
        (MASK.astype(float), None),
        (MASK.T, None),
    ],
)
def test_the_relation_of_two_masks(found, sentence):
    assert relation(found, MASK, NAMES) == sentence


def test_numbers_in_the_place_of_a_mask_are_not_related_to_it():
    x = MASK.astype(float)
    assert relation(MASK, x, NAMES) is None
    assert relation(3 * x, MASK, NAMES) is None


# ---------------------------------------------------------------------- shapes


def test_axes_are_named_by_their_sizes():
    assert axis_names((2, 4, 5, 8), AXES) == ["B", "T", "axis 2", "d_k"]
    assert axis_names((), AXES) == []
    assert axis_names((4,), {"T": 4, "S": 4}) == ["T"]  # the first of two of one size


def test_a_shape_is_told_with_the_names_of_its_axes():
    assert shape_in_words((2, 4, 5), AXES) == "(B 2, T 4, 5)"
    assert shape_in_words((7,), AXES) == "(7,)"
    assert shape_in_words((6,), AXES) == "(S 6,)"
    assert shape_in_words((), AXES) == "()"
    assert shape_in_words((4, 4), {"T": 4, "S": 4}) == "(T 4, T 4)"


@pytest.mark.parametrize(
    ("found", "expected", "sentence"),
    [
        (
            (2, 4, 3, 8),
            (2, 3, 4, 8),
            said("shape-swapped", index=1, axis="H", other_axis="T", size=4, expected_size=3),
        ),
        ((4, 2, 3), (2, 3, 4), said("shape-reordered", axes="B, H, T")),
        ((4, 3, 2, 6), (3, 4, 6, 2), said("shape-reordered", axes="H, T, S, B")),
        (
            (2, 4, 4),
            (2, 4, 6),
            said("shape-axis", index=2, held=said("axis-of-size", axis="T", size=4), axis="S", expected_size=6),
        ),
        ((5, 4), (2, 4), said("shape-axis", index=0, held=5, axis="B", expected_size=2)),
        ((5, 5), (2, 4), None),
        ((2, 6, 7), (2, 4, 6), None),
        ((2, 1, 4), (2, 4), said("shape-ones")),
        ((4,), (1, 4, 1), said("shape-ones")),
        ((2, 4, 4), (2, 4), None),
        ((2, 4), (2, 3, 4), said("shape-missing", axis="H")),
        ((2, 4), (3, 4, 6), None),
        ((4,), (2, 3, 4), None),
        ((24,), (2, 3, 4), None),
        ([2, 4], (2, 3, 4), said("shape-missing", axis="H")),
        ([2, 4], [4, 2], said("shape-swapped", index=0, axis="T", other_axis="B", size=2, expected_size=4)),
        ((2, 3, 4), (2, 4), None),
    ],
)
def test_what_is_wrong_with_a_shape(found, expected, sentence):
    assert shape_relation(found, expected, AXES) == sentence
