"""What the numbers show: the first that is off, the hidden key that gets weight, the small picture."""

from dataclasses import replace

import numpy as np
import pytest
from judged import drawn, exercise, numbers, plus

from attention_kata.judge.compare import Finding, FindingKind
from attention_kata.judge.evidence import Heat
from attention_kata.judge.numbers import MAX, heat_map, hidden_attention, mismatch, place_of, root_fact
from attention_kata.messages.said import said

X = numbers(2, 4)
ITS = exercise([drawn("plain", X)])


def finding(found, expected=X, name="result", **facts):
    return Finding(FindingKind.VALUES, "plain", name, found, expected, **facts)


def changed(array, **at):
    """`array` with 1 added at these places, written i0_j1."""
    array = array.copy()
    for place in at:
        array[tuple(int(part[1:]) for part in place.split("_"))] += 1
    return array


# ---------------------------------------------------------------------- the first number that is off


def test_the_first_number_that_is_off_is_told_with_its_place():
    off = changed(X, i0_j2=1, i1_j3=1)
    assert mismatch(finding(off), ITS) == said(
        "first-mismatch",
        result="result",
        where="B 0, T 2",
        expected=f"{X[0, 2]:.4g}",
        found=f"{X[0, 2] + 1:.4g}",
        differing=2,
        total=8,
    )
    of_gradient = mismatch(finding(off, name="Q", of_gradient=True), ITS)
    assert of_gradient.slots["result"] == said("gradient-of", inner="Q")


def test_a_number_that_is_off_by_little_is_found_when_none_is_off_by_much():
    ones = np.ones(5)
    assert mismatch(finding(plus(ones, 0, 0.5e-4, 2e-4, 0, 0), ones), ITS).slots["where"] == "axis 0 index 2"
    assert mismatch(finding(plus(ones, 0, 0.5e-4, 0.5e-4, 0, 0), ones), ITS).slots["where"] == "axis 0 index 1"
    assert mismatch(finding(plus(ones, 0, 2e-7, 0, 0, 0), ones), ITS).slots["differing"] == 1
    assert mismatch(finding(plus(ones, 0, 0.5e-7, 0, 0, 0), ones), ITS) is None
    zeros = np.zeros(5)
    assert mismatch(finding(plus(zeros, 0.9e-6, 1.5e-6, 0, 0, 0), zeros), ITS).slots["where"] == "axis 0 index 1"
    assert mismatch(finding(plus(zeros, 0.9e-9, 1.5e-9, 0, 0, 0), zeros), ITS).slots["where"] == "axis 0 index 1"
    assert mismatch(finding(zeros + 0.9e-9, zeros), ITS) is None


def test_numbers_that_are_free_are_not_off():
    off = changed(X, i0_j0=1, i1_j1=1)
    free = np.zeros((2, 4), bool)
    free[0, 0] = True
    told = mismatch(finding(off, facts={"free": free}), ITS)
    assert (told.slots["where"], told.slots["differing"]) == ("B 1, T 1", 1)
    free[1, 1] = True
    assert mismatch(finding(off, facts={"free": free}), ITS) is None


def test_masks_are_compared_exactly_and_told_in_words():
    mask = X > 0
    told = mismatch(finding(~mask, mask), ITS)
    assert (told.slots["expected"], told.slots["found"], told.slots["differing"]) == ("True", "False", 8)
    assert (mask[0, 0], ~mask[0, 0]) == (True, False)


@pytest.mark.parametrize(("found", "expected"), [(None, X), (X, None), (X.T, X), (X, X)])
def test_where_nothing_can_be_off_nothing_is_told(found, expected):
    assert mismatch(finding(found, expected), ITS) is None


def test_a_place_is_told_by_the_names_of_the_axes():
    assert place_of((1, 2), (2, 4), ITS) == "B 1, T 2"
    assert place_of((np.int64(1), np.int64(0)), (5, 6), ITS) == "axis 0 index 1, S 0"
    assert place_of((), (), ITS) == said("only-position")


# ---------------------------------------------------------------------- hidden keys

MAY = np.array([[True, False, False], [True, True, False], [False, False, False]])


def hidden(weights, mask=MAY, name="weights", key="0/mask"):
    return hidden_attention(finding(weights, name=name), replace(drawn("plain", X), arrays={"0/x": X, key: mask}))


def weights(*rows):
    return np.array(rows, float)


def test_the_first_query_that_looks_at_a_hidden_key_is_told():
    assert hidden(weights([0.91, 0.09, 0], [0, 0.8, 0.196], [0, 0, 0])) == said(
        "sees-keys", query=1, key=2, keys=("0", "1"), weight="0.20"
    )
    assert hidden(weights([0.5, 0, 0.5], [0, 0.8, 0.2], [0, 0, 0])) == said(
        "sees-one-key", query=0, key=2, keys=("0",), weight="0.50"
    )
    assert hidden(weights([1, 0, 0], [0, 1, 0], [0, 0.75, 0.25])) == said("sees-no-key", query=2, key=1, weight="0.75")


def test_a_key_with_half_of_the_largest_hidden_weight_is_early_enough():
    half = weights([0.75, 0.25, 0], [0, 0.5, 0.5], [0, 0, 0])
    assert hidden(half).slots["query"] == 0
    assert hidden(half - [[0, 0.01, 0], [0] * 3, [0] * 3]).slots["query"] == 1


@pytest.mark.parametrize(("weight", "told"), [(0.01, True), (0.00999, False), (np.nan, False)])
def test_little_weight_is_not_spoken_of(weight, told):
    assert (hidden(weights([1, weight, 0], [0, 1, 0], [0, 0, 0])) is not None) is told


def test_samples_and_heads_are_told_where_there_are_any():
    right = np.where(MAY, 0.5, 0.0)
    four = np.stack([np.stack([right, right])] * 3)
    four[2, 1, 0, 1] = 0.5
    assert hidden(four).slots["lead"] == (said("sample", index=2), said("head", index=1))
    assert hidden(four[2]).slots["lead"] == (said("sample", index=1),)
    five = hidden(four[None])
    assert (five.slots["lead"], five.slots["query"]) == ((said("sample", index=0), said("head", index=2)), 0)


@pytest.mark.parametrize(
    "facts",
    [
        {"name": "output"},
        {"key": "0/masked"},
        {"mask": MAY.astype(float)},
        {"mask": np.ones((2, 2), bool)},
        {"weights": None},
        {"weights": np.array([0.5, 0.5, 0.5])},
        {"weights": np.where(MAY, 0.5, 0.0)},
    ],
)
def test_without_weights_under_a_mask_nothing_is_told_of_keys(facts):
    assert hidden(**{"weights": weights([0, 1, 0], [0, 0, 1], [1, 0, 0])} | facts) is None


# ---------------------------------------------------------------------- the picture


def test_the_picture_is_of_the_last_two_axes_where_the_first_number_is_off():
    x = numbers(2, 3, 4, 6)
    off = changed(x, i1_j2_k3_l5=1)
    assert heat_map(finding(off, x), exercise([drawn("plain", x)])) == Heat(
        name="result",
        rows="T",
        columns="S",
        at="B 1, H 2",
        expected=np.round(x[1, 2], 3).tolist(),
        found=np.round(off[1, 2], 3).tolist(),
    )


def test_the_picture_of_a_gradient_says_so():
    assert heat_map(finding(X + 1, name="Q", of_gradient=True), ITS).name == "the gradient of Q"


@pytest.mark.parametrize(
    ("place", "first"),
    [((0, 0), (0, 0)), ((15, 15), (0, 0)), ((16, 3), (1, 0)), ((3, 16), (0, 1)), ((39, 23), (24, 8))],
)
def test_a_large_picture_ends_with_the_first_number_that_is_off(place, first):
    x = numbers(40, 24)
    off = x.copy()
    off[place] += 1
    heat = heat_map(finding(off, x), ITS)
    (top, left) = heat.first
    assert heat.first == first
    assert heat.expected == np.round(x[top : top + MAX, left : left + MAX], 3).tolist()
    assert heat.found == np.round(off[top : top + MAX, left : left + MAX], 3).tolist()
    assert (len(heat.found), len(heat.found[0])) == (16, 16)


def test_the_picture_begins_where_a_difference_can_be_seen():
    x = np.ones((2, 40))
    assert heat_map(finding(x + 0.5e-4, x), ITS).first == (0, 0)
    late = x.copy()
    late[0, :20] += 0.5e-4
    late[0, 30] += 1.5e-4
    assert heat_map(finding(late, x), ITS).first == (0, 15)
    zero = np.zeros((2, 40))
    late = zero.copy()
    late[0, 20], late[0, 30] = 0.9e-6, 1.5e-6
    assert heat_map(finding(late, zero), ITS).first == (0, 15)


def test_numbers_of_the_picture_are_rounded_and_those_that_are_not_finite_are_left_out():
    found = np.array([[np.nan, np.inf, 0.12345], [-np.inf, 1, 2]])
    heat = heat_map(finding(found, np.zeros((2, 3))), ITS)
    assert heat.found == [[None, None, 0.123], [None, 1.0, 2.0]]
    mask = heat_map(finding(np.array([[True, False]]), np.array([[False, False]])), ITS)
    assert mask.found == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("found", "expected"),
    [(None, X), (X, None), (X.T, X), (X[0], X[0]), (np.zeros((0, 3)), np.zeros((0, 3)))],
)
def test_what_cannot_be_drawn_has_no_picture(found, expected):
    assert heat_map(finding(found, expected), ITS) is None
    assert heat_map(finding(X, X), ITS).first == (0, 0)


# ---------------------------------------------------------------------- what explains all of them

WEIGHTS = np.array([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0], [0.5, 0.25, 0.25]])


@pytest.mark.parametrize(
    ("found", "fact"),
    [
        (0 * X, said("all-number", result="result", number="0")),
        (X * np.nan, said("all-number", result="result", number="NaN")),
        (0 * X + 1, said("all-one", result="result")),
        (0 * X + 0.25, said("all-equal", result="result")),
        (X + 1, None),
        (X > 0, None),
        (None, None),
    ],
)
def test_a_constant_result_is_a_fact(found, fact):
    assert root_fact(finding(found)) == fact


def test_rows_that_are_all_the_same_are_a_fact():
    alike = np.repeat(X[:1], 2, 0)
    assert root_fact(finding(alike)) == said("rows-alike", result="result")
    assert root_fact(finding(alike, alike + 1)) is None
    assert root_fact(finding(X[:1] + 1, X[:1])) is None


def test_of_a_constant_that_is_expected_nothing_is_said():
    assert root_fact(finding(0 * X, 0 * X + 2)) is None


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (2 * WEIGHTS, True),
        (WEIGHTS[:, ::-1], False),
        (WEIGHTS + np.array([[0.0], [1 / 3], [0.0]]), False),
        (WEIGHTS * [[1.0], [1.0], [0.9]], True),
        (WEIGHTS * [[1.0], [1.0], [np.nan]], False),
        (2 * WEIGHTS[:2], False),
    ],
)
def test_rows_of_weights_that_do_not_sum_to_1_are_a_fact(found, told):
    assert root_fact(finding(found, WEIGHTS, "weights")) == (said("sums", result="weights") if told else None)


def test_numbers_that_are_no_weights_need_not_sum_to_1():
    assert root_fact(finding(2 * X)) is None
    assert root_fact(finding(np.array([[0.5, 0.0]]), np.array([[0.0, 0.0]]))) is None
    assert root_fact(finding(np.array([[2.0], [3.0]]), np.array([[1.0], [1.0]]))) is None


def test_rows_that_are_free_may_sum_to_anything():
    free = np.zeros(WEIGHTS.shape, dtype=bool)
    free[2] = True
    odd = WEIGHTS * [[1.0], [1.0], [0.9]]
    assert root_fact(finding(odd, WEIGHTS, facts={"free": free})) is None


def test_a_gradient_that_is_constant_is_called_a_gradient():
    assert root_fact(finding(0 * X, name="Q", of_gradient=True)).slots["result"] == said("gradient-of", inner="Q")
