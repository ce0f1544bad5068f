import numpy as np
import torch


def padding_mask(lengths, max_len):
    grid = torch.arange(max_len, device=lengths.device)[None, :]
    return torch.less(grid, lengths[:, None])


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.from_numpy(np.tril(np.ones((T, S), dtype=bool), k=S - T))


def combine_masks(padding, causal):
    p = padding[:, np.newaxis, np.newaxis, :]
    c = causal[np.newaxis, np.newaxis]
    return torch.minimum(*torch.broadcast_tensors(p, c))


def masked_softmax(scores, mask):
    e = torch.where(mask, scores, -np.inf)
    top = torch.clip(e.amax(axis=-1, keepdims=True), min=torch.finfo(scores.dtype).min)
    e = torch.exp(torch.where(mask, e - top, -np.inf))
    s = e.sum(axis=-1, keepdims=True)
    return torch.where(s > 0, e / torch.where(s > 0, s, torch.ones_like(s)), torch.zeros_like(e))
