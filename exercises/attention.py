"""Scaled dot-product attention, from the scores to the weighted mean of the values.

Letters in shapes: T queries, S keys, d_k the width of queries and keys, d_v the width of values;
`...` stands for any leading axes, such as batch B and heads H.  Run `kata check attention` after each step.
"""

import math

import torch
from torch import Tensor


def attention_scores(Q: Tensor, K: Tensor) -> Tensor:
    """How well each query matches each key.

    Q (..., T, d_k), K (..., S, d_k) -> scores (..., T, S)

        scores[..., t, s] = (Q[..., t, :] · K[..., s, :]) / sqrt(d_k)

    Row t belongs to query t, column s to key s.  A dot product of d_k terms grows with d_k; the division
    keeps its spread near 1, so that the softmax does not saturate.

    The result has the dtype of Q; Q and K are left as they are.

    Example, d_k = 4 (so the divisor is 2):

        Q = [[2, 0, 0, 0],         K = [[1, 0, 0, 0],        scores = [[1.0, 0.0, -3.0],
             [0, 2, 2, 0]]              [0, 1, 1, 0],                  [0.0, 2.0,  1.0]]
                                        [-3, 1, 0, 0]]

    "Attention Is All You Need", section 3.2.1, equation 1.
    """
    raise NotImplementedError


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Positive weights that sum to 1 along `dim`, written by hand.

    x (any shape, any axis `dim`) -> the same shape

        softmax(x)[i] = exp(x[i]) / (exp(x[0]) + exp(x[1]) + ... )        along dim

    exp(1000) is infinite in every dtype that torch has, yet the result for numbers as large as ±10,000 must be
    right and finite.  Adding the same constant to all x[i] along dim changes nothing in exact arithmetic:
    choose it well, and separately for each line along dim.

    By hand means: without torch's own softmax and log_softmax in any of their spellings; calling one of them earns
    nothing here.  Everything else in torch may be used.  x is left as it is; the result has its dtype.

    Example, along the last axis:

        x = [[0,    ln 2,        ln 5       ],        softmax(x) = [[0.125, 0.25, 0.625],
             [1000, 1000 + ln 2, 1000 + ln 5]]                      [0.125, 0.25, 0.625]]

    "Attention Is All You Need", section 3.2.1; torch.nn.functional.softmax gives the same numbers.
    """
    raise NotImplementedError


def attention(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention.

    Q (..., T, d_k), K (..., S, d_k), V (..., S, d_v), mask bool, broadcasts to (..., T, S)
        -> output (..., T, d_v), weights (..., T, S)

        weights = softmax over the keys of (Q K^T / sqrt(d_k))
        output  = weights V

    mask[..., t, s] is True where query t MAY attend to key s.  Where it is False the weight is 0 and the
    remaining weights of the row sum to 1, however large or small the scores are (±10,000 happens).  A row without
    any True has nothing to attend to: anything finite may come out of it, but no NaN and no infinity.

    Return the two as a tuple, output first, both in the dtype of the inputs (float32 or float64).  Inputs and mask
    are left as they are; nothing is made on a device other than theirs.  You may call torch's softmax here, but not
    its finished attention (scaled_dot_product_attention, nn.MultiheadAttention): that would be the exercise, and
    earns nothing.

    Example, d_k = 4 (so the divisor is 2), two queries and three keys:

        Q = [[2, 0, 0, 0],        K = [[0,    ln 3, 0, 0],        V = [[4],          mask = [[True, True,  False],
             [0, 2, 0, 0]]             [ln 3, 5,    0, 0],             [8],                  [True, False, True ]]
                                       [7,    0,    0, 0]]             [-20]]

        scores = [[0.0,  ln 3, 7.0],        weights = [[0.25, 0.75, 0.0 ],        output = [[7.0 ],
                  [ln 3, 5.0,  0.0]]                   [0.75, 0.0,  0.25]]                  [-2.0]]

    "Attention Is All You Need", section 3.2.1, equation 1; the mask is described in section 3.2.3.
    """
    raise NotImplementedError
