from __future__ import annotations

import torch
from torch import BoolTensor, LongTensor, Tensor
from torch.nn import functional as F


def padding_mask(lengths: LongTensor, max_len: int) -> BoolTensor:
    """True for real tokens."""
    print("lengths:", lengths)
    batch: int = lengths.shape[0]
    mask = torch.ones((batch, max_len), dtype=torch.bool, device=lengths.device)
    positions = mask.cumsum(dim=1) - 1
    return mask & (positions < lengths.reshape(batch, 1))


def causal_mask(T: int, S: int | None = None) -> BoolTensor:
    match S:
        case None:
            offset, width = 0, T
        case int():
            offset, width = S - T, S
        case _:
            raise TypeError(type(S))
    return torch.tril(input=torch.ones(T, width), diagonal=offset).to(dtype=torch.bool)


def combine_masks(padding: BoolTensor, causal: BoolTensor) -> BoolTensor:
    B, S = padding.size()
    T = causal.size(dim=0)
    combined = torch.bitwise_and(padding.view(B, 1, 1, S), causal.view(1, 1, T, S))
    assert combined.shape == (B, 1, T, S)
    return combined


def masked_softmax(scores: Tensor, mask: BoolTensor) -> Tensor:
    try:
        lowest = torch.finfo(scores.dtype).min
    except TypeError as error:
        raise ValueError("scores must be floating") from error
    weights = F.softmax(torch.masked_fill(scores, torch.logical_not(mask), lowest), dim=-1)
    any_open = torch.any(mask, dim=-1, keepdim=True)
    return torch.where(any_open, weights, torch.zeros_like(weights))
