"""Heads: one wide token vector becomes several narrow ones, and back.

No numbers are computed here, they only move. It is where most home-made attention silently goes wrong:
the shapes come out right, and the tokens are mixed up. B samples, T tokens, D features, H heads, d_k = D / H.
"""

import torch
from torch import Tensor


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """Give each head its own slice of every token's features.

    x (B, T, D) -> (B, H, T, d_k), with H = n_heads and d_k = D / H.

    Head 0 owns the first d_k features of every token, head 1 the next d_k, and so on:

        result[b, h, t, i] = x[b, t, h * d_k + i]

    - When H does not divide D, raise a ValueError. (n_heads is at least 1.)
    - Any size may be 1. The result always has four axes.
    - x may lie in memory in any order, for instance after a transpose.
    - The result has the dtype and the device of x, and gradients flow back to x.
    - x itself stays as it is. The result may share its memory.

    Example, one sample of three tokens with D = 4 and two heads:

        x = [[[1., 2.,  3.,  4.],
              [5., 6.,  7.,  8.],
              [9., 10., 11., 12.]]]

        split_heads(x, 2)  ->  [[[[1., 2.], [5., 6.], [9., 10.]],      head 0: its half of token 0, of token 1, ...
                                 [[3., 4.], [7., 8.], [11., 12.]]]]    head 1

    "Attention Is All You Need", section 3.2.2: h heads of d_k = d_model / h.
    """
    raise NotImplementedError


def merge_heads(x: Tensor) -> Tensor:
    """Set the heads of each token side by side again: the inverse of split_heads.

    x (B, H, T, d_k) -> (B, T, D), with D = H * d_k.

    Row t of the result holds token t as head 0 sees it, then token t as head 1 sees it, and so on:

        result[b, t, h * d_k + i] = x[b, h, t, i]

    - Any size may be 1. The result always has three axes.
    - x may lie in memory in any order. Above all, merging what a split returned must work.
    - The result has the dtype and the device of x, and gradients flow back to x.
    - x itself stays as it is. The result may share its memory.

    Example, one sample, two heads, three tokens, d_k = 2:

        x = [[[[1., 2.], [5., 6.], [9., 10.]],
              [[3., 4.], [7., 8.], [11., 12.]]]]

        merge_heads(x)  ->  [[[1., 2.,  3.,  4.],
                              [5., 6.,  7.,  8.],
                              [9., 10., 11., 12.]]]

    A round trip through both functions proves little: two wrong halves can undo each other.

    "Attention Is All You Need", section 3.2.2: Concat(head_1, ..., head_h).
    """
    raise NotImplementedError
