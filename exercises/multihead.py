"""Multi-head attention: several heads look at the same tokens, each with features of its own.

First in plain loops, to see every step; then for all samples and heads at once, with a mask. B samples,
H heads, T queries, S keys (and as many values), D features per token, d_k = D / H features per head.
"""

import math

import torch
from torch import Tensor, nn


class LoopMultiHeadAttention(nn.Module):
    """Multi-head attention, one sequence and one head at a time.

    LoopMultiHeadAttention(embedding_dim, num_heads), with D = embedding_dim and H = num_heads.
    forward: q (B, T, D), k (B, S, D), v (B, S, D) -> output (B, T, D)

    Four layers, all of them nn.Linear from D features to D features, with bias, under these names (weights
    are loaded by name):

        wq  makes the queries      wk  makes the keys      wv  makes the values      wz  is the output layer

    For each sequence of the batch, on its own:

        Q, K, V  =  wq(q), wk(k), wv(v)                          (T, D), (S, D), (S, D)
        Z_h      =  softmax(Q_h K_h^T / sqrt(d_k)) V_h           (T, d_k) for head h, softmax over the keys
        output   =  wz(Z_0, Z_1, ... side by side)               (T, D)

    Head h owns features h * d_k up to (h + 1) * d_k: Q_h, K_h and V_h are these columns of Q, K and V, and
    Z_h goes back into the same columns.

    - H always divides D.
    - T and S may differ. Any size may be 1. There is no mask and no dropout.
    - Return the output alone, without the weights.
    - Scores may be large (thousands): the output stays finite.
    - The output has the dtype (float32 or float64) and the device of the inputs and the layers; make no
      tensor on another device. Gradients reach q, k, v and all four layers.
    - q, k, v and the layers stay as they are: a second call with the same inputs gives the same result.
    - Two loops, over sequences and over heads, are the idea here. Only results are graded, though.
    - Any softmax will do, torch's or your own. Do not call F.scaled_dot_product_attention,
      nn.MultiheadAttention or F.multi_head_attention_forward: that would be the exercise, and earns nothing.

    Example with B = 1, T = 2, S = 3, D = 4, H = 2, and simple layers:

        wq doubles every feature; wk adds 1 to feature 0; wv adds 1 to feature 1; wz moves every feature one place
        to the left, and the first one to the end. Nothing else: all other weights and biases are 0.

        q = [[[1., 0., 0., 1.],        k = [[[1., 0., 1., 0.],        v = [[[1., 2., 3., 4.],
              [0., 1., -1., 0.]]]            [0., 1., 0., 1.],              [5., 6., 7., 8.],
                                             [0., 0., 0., -1.]]]            [-1., 0., 1., 0.]]]

        head 0   weights [[0.673, 0.164, 0.164],        head 1   weights [[0.187, 0.768, 0.045],
                          [0.164, 0.673, 0.164]]                          [0.108, 0.446, 0.446]]

        output = [[[3.327, 5.981, 6.890, 1.327],
                   [5.364, 3.892, 4.000, 3.364]]]

    "Attention Is All You Need", section 3.2.2.
    """

    def __init__(self, embedding_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """q (B, T, D), k (B, S, D), v (B, S, D) -> output (B, T, D)"""
        raise NotImplementedError


class MultiHeadAttention(nn.Module):
    """Multi-head attention for all samples and all heads at once, with an optional mask.

    MultiHeadAttention(d_model, n_heads), with D = d_model and H = n_heads.
    forward: query (B, T, D), key (B, S, D), value (B, S, D), mask bool
        -> output (B, T, D), weights (B, H, T, S)

    Four layers, all of them nn.Linear from D features to D features, with bias, under these names (weights
    are loaded by name):

        W_q  makes the queries     W_k  makes the keys     W_v  makes the values     W_o  is the output layer

        Q, K, V  =  W_q(query), W_k(key), W_v(value), split into heads         each (B, H, T or S, d_k)
        weights  =  softmax(Q K^T / sqrt(d_k)), over the keys                  (B, H, T, S)
        output   =  W_o(the heads of weights V, side by side)                  (B, T, D)

    Head h owns features h * d_k up to (h + 1) * d_k of what a layer makes, and of what W_o is given.

    The mask is a bool tensor that broadcasts to (B, H, T, S); the checks pass it as (B, 1, T, S), the same
    for all heads of a sample.

    - True: this query MAY attend to this key. False: the weight is 0, and the remaining weights of the row
      sum to 1, however low their scores are (-50,000 happens).
    - In a row without any True there is nothing to attend to: anything finite may come out, but no NaN.
    - mask=None, or no mask at all: every query sees every key.

    The rest of the contract:

    - H always divides D.
    - T and S may differ. Any size may be 1. There is no dropout.
    - Return a tuple, the output first. The weights are those that meet the values, one (T, S) for every head.
    - Scores may be large (thousands): everything stays finite.
    - No Python loop over samples or heads: the number of torch operations (views are not counted) is the same
      whatever B and H are.
    - Both results have the dtype (float32 or float64) and the device of the inputs and the layers; make no
      tensor on another device. Gradients of the output reach query, key, value and all four layers.
    - Inputs, mask and layers stay as they are: a second call with the same inputs gives the same result.
    - Any softmax will do, torch's or your own. Do not call F.scaled_dot_product_attention,
      nn.MultiheadAttention or F.multi_head_attention_forward: that would be the exercise, and earns nothing.

    Example with B = 1, T = 2, S = 3, D = 4, H = 2, and simple layers:

        W_q doubles every feature; W_k adds 1 to feature 0; W_v adds 1 to feature 1; W_o moves every feature one place
        to the left, and the first one to the end. Nothing else: all other weights and biases are 0.

        query = [[[1., 0., 0., 1.],    key = [[[1., 0., 1., 0.],      value = [[[1., 2., 3., 4.],
                  [0., 1., -1., 0.]]]          [0., 1., 0., 1.],                [5., 6., 7., 8.],
                                               [0., 0., 0., -1.]]]              [-1., 0., 1., 0.]]]

        mask = [[[[True, True,  False],
                  [True, False, True ]]]]

        weights = [[[[0.804, 0.196, 0.0],       head 0          output = [[[3.782, 6.218, 7.218, 1.782],
                     [0.5,   0.0,   0.5]],                                 [2.000, 1.391, 0.782, 0.000]]]
                    [[0.196, 0.804, 0.0],       head 1
                     [0.196, 0.0,   0.804]]]]

    "Attention Is All You Need", section 3.2.2; masks in section 3.2.3.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """query (B, T, D), key and value (B, S, D) -> output (B, T, D), weights (B, H, T, S)"""
        raise NotImplementedError
