import torch
from torch import nn


def padding_mask(lengths, max_len):
    tokens = torch.arange(max_len, device=lengths.device).tile(lengths.size(0), 1)
    return tokens.ne(max_len) & tokens.lt(lengths.unsqueeze(-1))


def causal_mask(T, S=None):
    S = T if S is None else S
    mask = torch.full((T, T), float("-inf"))
    mask = torch.triu(mask, diagonal=1)
    mask = torch.hstack([torch.zeros((T, S - T)), mask])
    return mask >= 0


def combine_masks(padding, causal):
    B, S = padding.shape
    causal = causal[None, None, :, :].expand(B, 1, -1, S)
    return causal & padding[:, None, None, :].expand_as(causal)


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(scores.dtype)
    return weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
