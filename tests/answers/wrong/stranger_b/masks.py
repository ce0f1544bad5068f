# expect: causal_mask = -
# expect: combine_masks = mask-missing-head-axis
# expect: masked_softmax = weights-edited-in-place
import torch


def causal_mask(T, S):
    return torch.tril(torch.ones(T, S), S - T).bool()


def combine_masks(padding, causal):
    B, S = padding.shape
    return padding.unsqueeze(1).expand(B, causal.size(0), S) * causal.unsqueeze(0)


def masked_softmax(scores, mask):
    w = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), -1)
    w[~mask.expand_as(w)] = 0
    return w
