import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    return torch.lt(torch.arange(max_len, device=lengths.device).repeat(lengths.numel(), 1), lengths.view(-1, 1))


def causal_mask(T, S=None):
    S = T if S is None else S
    rows, cols = torch.tril_indices(T, S, offset=S - T)
    out = torch.zeros(T, S, dtype=torch.bool)
    out[rows, cols] = True
    return out


def combine_masks(padding, causal):
    B, S = padding.shape
    T = causal.shape[0]
    p = padding.view(B, 1, 1, S).expand(B, 1, T, S)
    c = causal.view(1, 1, T, S).expand(B, 1, T, S)
    return p.logical_and(c)


def masked_softmax(scores, mask):
    hidden = mask.logical_not()
    z = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    return torch.mul(F.softmax(z, -1), mask.type_as(scores))
