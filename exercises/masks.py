"""Masks: who may look at whom.

A mask is a bool tensor, and True always means "may attend".  Letters in shapes: B sequences in a batch,
H heads, T queries, S keys; `...` stands for any leading axes.  Run `kata check masks` after each step.
"""

import torch
from torch import Tensor
from torch.nn import functional as F


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """Which positions hold tokens, and which only padding.

    lengths (B,) int64 -> mask (B, max_len) bool

        mask[b, j] is True where j < lengths[b]

    The sequences of a batch have different lengths; short ones are padded at the end, to max_len
    positions.  The first lengths[b] positions of sequence b are tokens (True), the rest is padding (False).

    - Every length is between 0 and max_len, both included.
    - The mask is max_len wide, even when every sequence of the batch is shorter.
    - It is made on the device of lengths; lengths stays as it is.
    - Return True and False.  A mask of 1 and 0 is accepted as well; one of 0 and -inf is not.

    Example:

        padding_mask(torch.tensor([2, 4]), 5)  ->  [[True, True, False, False, False],
                                                    [True, True, True,  True,  False]]

    "Attention Is All You Need" does not mention padding; section 5.1 says how its batches are made.
    """
    raise NotImplementedError


def causal_mask(T: int, S: int | None = None) -> Tensor:
    """Nobody sees the future: a token may look at itself and at what came before it.

    Two Python ints -> mask (T, S) bool; without S, S = T

        mask[t, s] is True where s <= t + (S - T)

    Row t belongs to query t, column s to key s.  When there are more keys than queries, the queries are the
    newest T of the S positions: query T - 1 stands at key S - 1 and sees everything.  That is what happens
    when tokens are generated one by one: a few new queries meet all keys so far.

    - S is never smaller than T.
    - Return True and False.  A mask of 1 and 0 is accepted as well; one of 0 and -inf is not.
    - There is no tensor to take a device from: torch's default device is right here.

    Examples:

        causal_mask(3)  ->  [[True, False, False],        causal_mask(2, 4)  ->  [[True, True, True, False],
                             [True, True,  False],                                [True, True, True, True]]
                             [True, True,  True]]

    "Attention Is All You Need", section 3.1 (the decoder) and section 3.2.3.
    """
    raise NotImplementedError


def combine_masks(padding: Tensor, causal: Tensor) -> Tensor:
    """One mask out of two rules: a key must pass both.

    padding (B, S) bool, causal (T, S) bool -> mask (B, 1, T, S) bool

        mask[b, 0, t, s] is True where padding[b, s] and causal[t, s] both are

    The axis of size 1 stands for the heads: the mask broadcasts to scores of shape (B, H, T, S), and all
    heads of a sequence use the same one.

    - In padding, True is a token.  Padding hides keys only: the row of a padded query is like any other row.
    - Any two sizes may happen to be equal, such as B = T or T = S.
    - Return True and False.  A mask of 1 and 0 is accepted as well; one of 0 and -inf is not.
    - The mask is made on the device of the two masks, and these stay as they are.

    Example, B = 2, T = S = 3; sequence 1 has only two tokens:

        padding = [[True, True, True ],        causal = causal_mask(3)
                   [True, True, False]]

        result[0, 0] = [[True, False, False],        result[1, 0] = [[True, False, False],
                        [True, True,  False],                        [True, True,  False],
                        [True, True,  True ]]                        [True, True,  False]]

    "Attention Is All You Need", section 3.2.3; the shapes are those of section 3.2.2, where heads come in.
    """
    raise NotImplementedError


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """The softmax over the keys that may be seen.

    scores (..., T, S) floating, mask bool, broadcasts to the scores -> weights (..., T, S)

        weights[..., t, s] = exp(scores[..., t, s]) / sum of exp(scores[..., t, r]) over all open keys r,
                             where mask[..., t, s] is True (key s is open to query t)
        weights[..., t, s] = 0 where it is False (key s is hidden)

    The open keys of a row share a weight of 1, whatever the hidden scores are.

    - A row without any True has nothing to attend to: all of its weights are 0, and gradients are finite.
    - Scores may be very large and very small (from -30,000 to 30,000), or exactly 0.
    - The result has the dtype of scores, float16 and bfloat16 included.
    - The scores are used as they come: they are already scaled.
    - scores and mask stay as they are; nothing is made on a device other than theirs.
    - F.softmax may be called, and everything else in torch except a finished masked softmax or attention
      (scaled_dot_product_attention and the like): that would be the exercise, and earns nothing.

    Example, two queries and three keys; the second query may see nothing:

        scores = [[0, ln 3, 7],        mask = [[True,  True,  False],        weights = [[0.25, 0.75, 0.0],
                  [1, 2,    3]]                [False, False, False]]                   [0.0,  0.0,  0.0]]

    "Attention Is All You Need", section 3.2.3: hidden connections are masked out in the input of the softmax.
    """
    raise NotImplementedError
