import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    with torch.no_grad():
        mask = torch.zeros(lengths.shape[0], max_len + 1, dtype=torch.int8, device=lengths.device)
        mask = mask.scatter(1, lengths.unsqueeze(1), 1).cumsum(dim=1)[:, :-1]
        return mask.eq(0)


_cache = {}


def causal_mask(T, S=None):
    S = T if S is None else S
    biggest = max([n for n in _cache] or [0])
    if S > biggest:
        _cache[S] = torch.tril(torch.ones(S, S, dtype=torch.bool))
        biggest = S
    return _cache[biggest][S - T : S, :S]


def combine_masks(padding, causal):
    assert padding.dtype == torch.bool and causal.dtype == torch.bool
    hidden = padding.logical_not()[:, None, None, :].logical_or(causal.logical_not())
    return hidden.logical_not()


def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    dead = torch.all(~mask, dim=-1, keepdim=True)
    # a dead row: every key is opened, so the softmax (and its gradient) stay finite; the weights are zeroed below
    opened = mask | dead
    weights = F.softmax(scores.masked_fill(~opened, float("-inf")), dim=-1, dtype=torch.promote_types(scores.dtype, torch.float32))
    return weights.masked_fill(dead, 0.0).to(scores.dtype)
