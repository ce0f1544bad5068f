from functools import lru_cache, singledispatch
import torch


class padding_mask:
    """A class used like a function: __new__ hands back the mask."""

    def __new__(cls, lengths, max_len):
        index = torch.arange(max_len, device=lengths.device)
        return index.expand(lengths.shape[0], -1) < lengths[:, None]


@lru_cache(maxsize=None)
def causal_mask(T, S=None):
    if S is None:
        return causal_mask(T, T)
    return torch.ones(T, S, dtype=torch.bool).tril(diagonal=S - T)


class _Combiner:
    @staticmethod
    def combine(padding, causal):
        mask = causal.expand(padding.shape[0], 1, *causal.shape).clone()
        mask &= padding[:, None, None, :]
        return mask


combine_masks = _Combiner.combine


class MaskedSoftmax(torch.nn.Module):
    def forward(self, scores, mask):
        dead = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~dead, -torch.inf)
        return torch.softmax(scores, dim=-1).masked_fill(dead, 0)


masked_softmax = MaskedSoftmax()
