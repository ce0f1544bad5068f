# expect: padding_mask = -
# expect: causal_mask = -
# expect: combine_masks = -
# expect: masked_softmax = -
import torch


def padding_mask(lengths, max_len):
    return torch.ones(len(lengths), max_len, dtype=torch.bool, device=lengths.device)


def causal_mask(T, S=None):
    S = S or T
    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    return mask & ~mask.tril(S - T - 2)  # only the last two


def combine_masks(padding, causal):
    return causal.expand(padding.shape[0], 1, -1, -1)


def masked_softmax(scores, mask):
    w = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), -1)
    return w.clamp(min=1e-3)
