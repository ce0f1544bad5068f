# expect: padding_mask = padding-off-by-one
# expect: causal_mask = causal-upper-triangle
# expect: combine_masks = masks-or-not-and
# expect: masked_softmax = mask-after-softmax
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    mask = torch.zeros(lengths.size(0), max_len, dtype=torch.bool, device=lengths.device)
    for i, n in enumerate(lengths):
        mask[i, : n + 1] = True
    return mask


def causal_mask(T, S=None):
    S = S or T
    return torch.triu(torch.ones(T, S, dtype=torch.bool), diagonal=S - T + 1)


def combine_masks(padding, causal):
    return torch.logical_or(padding.view(padding.size(0), 1, 1, -1), causal)


def masked_softmax(scores, mask):
    w = torch.softmax(scores, dim=-1)
    return torch.where(mask, w, torch.zeros_like(w))
