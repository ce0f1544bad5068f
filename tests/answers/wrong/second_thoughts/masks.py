# expect: masked_softmax = mask-fill-discarded
# expect: combine_masks = padding-inverted
# expect: causal_mask = causal-top-left + causal-one-step-leak
import torch


def causal_mask(T, S=None):
    S = S or T
    return torch.ones(T, S, dtype=torch.bool).tril(diagonal=1)


def combine_masks(padding, causal):
    return causal[None, None] & padding.logical_not()[:, None, None, :]


def masked_softmax(scores, mask):
    scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.nan_to_num(weights)
