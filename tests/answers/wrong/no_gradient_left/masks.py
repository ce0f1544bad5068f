# expect: padding_mask = causal-mask-wrong-kind
# expect: causal_mask = causal-mask-wrong-kind
# expect: combine_masks = mask-inverted
# expect: masked_softmax = forward-patched-grad-nan
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    pad = torch.arange(max_len, device=lengths.device)[None] >= lengths[:, None]
    return torch.zeros_like(pad, dtype=torch.float).masked_fill(pad, float("-inf"))


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.triu(torch.full((T, S), float("-inf")), diagonal=S - T + 1)


def combine_masks(padding, causal):
    return torch.logical_or(~padding[:, None, None, :], ~causal[None, None, :, :])


def masked_softmax(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device).masked_fill(~mask, float("-inf"))
    w = F.softmax(scores + bias, dim=-1)
    return torch.where(torch.isnan(w), torch.zeros_like(w), w)
