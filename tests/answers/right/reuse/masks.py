import torch
from attention import softmax


def padding_mask(lengths, max_len):
    if max_len == 0:
        return lengths.new_zeros(len(lengths), 0, dtype=torch.bool)
    full = causal_mask(max_len + 1)[:, :max_len].to(lengths.device)  # row n: n... the first n are open
    return (full.roll(1, 0) & (torch.arange(max_len + 1, device=lengths.device) > 0)[:, None])[lengths]


def causal_mask(T, S=None):
    S = S or T
    return torch.arange(S).expand(T, S) - torch.arange(T).reshape(T, 1) <= S - T


def combine_masks(padding, causal):
    return padding[:, None, None] & causal[None, None]


def masked_softmax(scores, mask):
    scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    if scores.dtype in (torch.float16, torch.bfloat16):
        return (softmax(scores.float(), -1) * mask).to(scores.dtype)
    return softmax(scores, -1) * mask
