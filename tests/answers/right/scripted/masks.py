import torch
from torch import Tensor


@torch.jit.script
def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    return torch.arange(max_len, device=lengths.device) < lengths[:, None]


@torch.jit.script
def _scripted(T: int, S: int) -> Tensor:
    return torch.ones((T, S), dtype=torch.bool).tril(S - T)


def causal_mask(T, S=None):
    return _scripted(T, T if S is None else S)


combine_masks = torch.vmap(lambda padding, causal: (padding & causal)[None], in_dims=(0, None))


@torch.jit.script
def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = torch.logical_not(mask)
    weights = torch.softmax(scores.masked_fill(hidden, -float("inf")), dim=-1)
    return weights.masked_fill(hidden, 0.0)
