"""Right answers as a learner may write them."""

import torch


def padding_mask(lengths, max_len):
    return torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1)


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.tril(torch.ones(T, S), diagonal=S - T) == 1


def combine_masks(padding, causal):
    return padding[:, None, None, :] & causal


def masked_softmax(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~mask, lowest), dim=-1).masked_fill(~mask, 0.0)
