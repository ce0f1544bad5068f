from torch import *
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    return arange(max_len, device=lengths.device).unsqueeze(0).lt(lengths.unsqueeze(1))


def causal_mask(T, S=None):
    n = S if S is not None else T
    return logical_not(triu(ones(T, n, dtype=bool), n - T + 1))


def combine_masks(padding, causal):
    return logical_and(padding.unsqueeze(-2).unsqueeze(-2), causal)


def _with_zeros(scores, mask):
    masked = scores.masked_fill(~mask, finfo(scores.dtype).min)
    return F.softmax(masked, dim=-1) * mask
