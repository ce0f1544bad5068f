"""How much wrong numbers say."""

import numpy as np
import pytest
from judged import drawn, failed, numbers, returned, seen

from attention_kata.judge.information import Information, constant, enough, information

X = numbers(4, 6)
CASE = drawn("plain", X)


def of(found, case=CASE, **facts):
    return information(returned(found, **facts), case)


def test_a_right_result_has_no_wrong_number():
    assert of(X) == of(X + 1e-7) == Information()


def test_numbers_count_once_and_only_where_they_are_wrong():
    assert of(2 * X) == Information(numbers=X.size, wrong=True)
    some = X.copy()
    some[0, :3] = [5.0, 5.0, 7.0]
    assert of(some) == Information(numbers=2, wrong=True)
    some[0, :3] = [0.0, 1.0, 0.0]
    assert of(some) == Information(wrong=True)


@pytest.mark.parametrize(
    "found", [0 * X, np.full_like(X, np.nan), np.repeat(X[:1], 4, 0), np.repeat(X[:, :1], 6, 1), 0 * X + np.inf]
)
def test_what_is_alike_in_every_row_or_column_says_nothing(found):
    assert of(found) == Information(wrong=True)


def test_a_pattern_counts_its_positions():
    mask = X > 0
    assert information(returned(~mask), drawn("mask", mask)) == Information(positions=mask.size, wrong=True)
    odd = np.where(X > 1, np.nan, X)
    assert of(odd) == Information(positions=X.size, wrong=True)
    two = np.where(X > 0, 0.0, -1e9)
    assert of(two).positions == X.size


def test_positions_that_are_free_count_only_where_they_are_not_finite():
    free = np.zeros(X.shape, dtype=bool)
    free[1] = True
    case = drawn("free", X, free=(free,))
    other = X.copy()
    other[1] = numbers(6) + 9
    assert of(other, case) == Information()
    other[1] = np.nan
    assert of(other, case) == Information(positions=X.size, wrong=True)


def test_gradients_count_and_a_missing_one_is_no_number():
    case = drawn("gradient", X, gradients={"x": X})
    assert of(X, case, gradients={"x": seen(3 * X)}).numbers == X.size
    assert of(X, case, gradients={"x": None}) == Information()


def test_cases_without_numbers_say_nothing():
    assert information(failed(), CASE) == Information()
    assert of(2 * X, drawn("narrow", X, dtype="float32")) == Information()


@pytest.mark.parametrize(
    ("each", "said"),
    [
        ([], False),
        ([Information(3, 0, True)] * 5, False),
        ([Information(3, 0, True), Information(4, 0, True)], True),
        ([Information(0, 8, True)], False),
        ([Information(0, 8, True)] * 2, True),
    ],
)
def test_how_much_is_enough(each, said):
    assert enough(each) is said


@pytest.mark.parametrize(
    ("found", "same"),
    [(0 * X, True), (np.full(3, np.nan), True), (X, False), (np.zeros(1), False), (np.zeros(0), False)],
)
def test_a_constant_result(found, same):
    assert constant(found) is same
