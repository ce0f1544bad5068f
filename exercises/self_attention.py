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

    Example, if all four weights were the identity and all biases 0 (B = 1, T = 2, D = 2):

        x = [[[1., 0.],
              [0., 2.]]]

        scores   [[0.707, 0.   ], [0.   , 2.828]]
        weights  [[0.670, 0.330], [0.056, 0.944]]
        result  [[[0.670, 0.660],
                  [0.056, 1.888]]]

    "Attention Is All You Need", section 3.2.1 for the formula, 3.2.3 for self-attention.
    """

    def __init__(self, embedding_dim: int) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)"""
        raise NotImplementedError
