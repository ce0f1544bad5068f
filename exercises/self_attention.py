"""Self-attention: a sequence asks itself. Queries, keys and values all come out of the same tokens.

One head, four learned layers. B samples, T tokens (each of them query and key), D = embedding_dim features.
"""

import math

import torch
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Self-attention with a single head, as a module: x (B, T, D) -> (B, T, D), with D = embedding_dim.

    Four layers, each an nn.Linear from D features to D features, with bias. Weights are loaded by name, so
    the attributes must be called

        wq  for the queries       wk  for the keys       wv  for the values       wz  for the output

    forward(x), for each sample on its own:

        Q, K, V = wq(x), wk(x), wv(x)                       each (B, T, D)
        Z       = softmax(Q K^T / sqrt(D)) V                (B, T, D), the softmax over the keys
        result  = wz(Z)                                     (B, T, D)

    - There is one head, so the d_k of the paper is D. There is no mask and no dropout.
    - Return the result alone, without the weights.
    - B, T and D may have any size, and may be equal. Scores may be large (thousands): the result stays finite.
    - The result has the dtype and the device of x and of the layers. Gradients reach x and all four layers.
    - x and the layers stay as they are: a second call with the same x gives the same result.
    - Any softmax will do, torch's or your own. Do not call F.scaled_dot_product_attention,
      nn.MultiheadAttention or F.multi_head_attention_forward.

    Example with B = 2, T = 2, D = 2; a layer makes x W^T + b of x, and b is 0 where it is not given:

        wq: W = [[2., 0.],    wk: W = [[0., 1.],    wv: W = [[1., 1.],    wz: W = [[1.,  0.],  b = [1., 0.]
                 [0., 1.]]             [1., 0.]]             [0., 1.]]             [1., -1.]]

        x = [[[1., 0.],       scores = [[[0.0,    2.828],        weights = [[[0.056, 0.944],
              [0., 2.]],                 [1.414,  0.0  ]],                   [0.804, 0.196]],
             [[1., 1.],                 [[2.121, -0.707],                   [[0.944, 0.056],
              [-1., 0.]]]                [-1.414, 0.0  ]]]                   [0.196, 0.804]]]

        result = [[[2.944, 0.056],
                   [2.196, 0.804]],
                  [[2.833, 0.888],
                   [0.587, -0.609]]]

    "Attention Is All You Need", section 3.2.1 for the formula, 3.2.3 for self-attention.
    """

    def __init__(self, embedding_dim: int) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)"""
        raise NotImplementedError
