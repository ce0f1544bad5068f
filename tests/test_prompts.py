"""The worked example in each stub's prompt: its numbers are what the reference gives."""

from math import log

import pytest
import torch

from attention_kata.course.find import find_course

COURSE = find_course()
SOLUTIONS = {solution.name: solution.reference for _, solution in COURSE.solutions}
t = torch.tensor


def near(found, *expected):
    found = found if isinstance(found, tuple) else (found,)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, t(other), atol=6e-4, rtol=0)
    return True


def with_identity_layers(name, *sizes):
    """A module whose weights are the identity and whose biases are 0."""
    module = SOLUTIONS[name](*sizes)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.eye(len(parameter)) if parameter.dim() == 2 else torch.zeros(len(parameter)))
    return module


def test_attention_scores():
    Q = t([[2.0, 0, 0, 0], [0, 2, 2, 0]])
    K = t([[1.0, 0, 0, 0], [0, 1, 1, 0], [3, 1, 0, 0]])
    assert near(SOLUTIONS["attention_scores"](Q, K), [[1.0, 0.0, 3.0], [0.0, 2.0, 1.0]])


@pytest.mark.parametrize("shift", [0, 1000])
def test_softmax(shift):
    x = shift + t([0.0, log(2), log(5)], dtype=torch.float64)
    torch.testing.assert_close(SOLUTIONS["softmax"](x), t([0.125, 0.25, 0.625], dtype=torch.float64))


def test_attention():
    Q, K, V = t([[1.0]]), t([[0.0], [log(3)], [7]]), t([[4.0], [8], [100]])
    mask = t([[True, True, False]])
    assert near(SOLUTIONS["attention"](Q, K, V, mask), [[7.0]], [[0.25, 0.75, 0.0]])


def test_padding_mask():
    expected = [[True, True, False, False, False], [True, True, True, True, False]]
    assert SOLUTIONS["padding_mask"](t([2, 4]), 5).tolist() == expected


def test_causal_mask():
    square = [[True, False, False], [True, True, False], [True, True, True]]
    wide = [[True, True, True, False], [True, True, True, True]]
    assert (SOLUTIONS["causal_mask"](3).tolist(), SOLUTIONS["causal_mask"](2, 4).tolist()) == (square, wide)


def test_combine_masks():
    padding = t([[True, True, True], [True, True, False]])
    result = SOLUTIONS["combine_masks"](padding, SOLUTIONS["causal_mask"](3))
    assert result.tolist() == [
        [[[True, False, False], [True, True, False], [True, True, True]]],
        [[[True, False, False], [True, True, False], [True, True, False]]],
    ]


def test_masked_softmax():
    scores, mask = t([[0, log(3), 7], [1, 2, 3]]), t([[True, True, False], [False, False, False]])
    assert near(SOLUTIONS["masked_softmax"](scores, mask), [[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]])


X = [[[1.0, 2, 3, 4], [5, 6, 7, 8]]]
SPLIT = [[[[1.0, 2], [5, 6]], [[3, 4], [7, 8]]]]


def test_split_heads():
    assert near(SOLUTIONS["split_heads"](t(X), 2), SPLIT)


def test_merge_heads():
    assert near(SOLUTIONS["merge_heads"](t(SPLIT)), X)


def test_self_attention():
    module = with_identity_layers("SelfAttention", 2)
    assert near(module(t([[[1.0, 0], [0, 2]]])), [[[0.670, 0.660], [0.056, 1.888]]])


QUERY, KEY, VALUE = [[[2.0, 0, 0, 1]]], [[[1.0, 0, 1, 0], [0, 1, 0, 1]]], [[[1.0, 2, 3, 4], [5, 6, 7, 8]]]
OUTPUT = [[[1.782, 2.782, 5.679, 6.679]]]


def test_loop_multi_head_attention():
    module = with_identity_layers("LoopMultiHeadAttention", 4, 2)
    assert near(module(t(QUERY), t(KEY), t(VALUE)), OUTPUT)


def test_multi_head_attention():
    module = with_identity_layers("MultiHeadAttention", 4, 2)
    assert near(module(t(QUERY), t(KEY), t(VALUE)), OUTPUT, [[[[0.804, 0.196]], [[0.330, 0.670]]]])


def test_multi_head_attention_under_a_mask():
    module = with_identity_layers("MultiHeadAttention", 4, 2)
    found = module(t(QUERY), t(KEY), t(VALUE), t([[[[True, False]]]]))
    assert near(found, [[[1.0, 2, 3, 4]]], [[[[1.0, 0.0]], [[1.0, 0.0]]]])
