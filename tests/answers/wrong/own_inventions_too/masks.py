# expect: padding_mask = -
# expect: causal_mask = -
# expect: combine_masks = -
# expect: masked_softmax = -
import torch


def padding_mask(lengths, max_len):
    return (torch.arange(max_len, device=lengths.device) < lengths[:, None]).T


def causal_mask(T, S=None):
    S = S or T
    return torch.zeros(T, S, dtype=torch.bool)


def combine_masks(padding, causal):
    return (padding[:, None, None, :] & causal).squeeze(1).transpose(-1, -2).unsqueeze(1)


def masked_softmax(scores, mask):
    w = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), -1) * mask
    return w.round(decimals=2)
