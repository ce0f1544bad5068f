import torch


def padding_mask(lengths, max_len):
    return torch.arange(max_len, device=lengths.device).expand(len(lengths), -1) < lengths[:, None]


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.ones(T, S, dtype=torch.bool).tril(S - T)


def combine_masks(padding, causal):
    return (padding[:, None, :] & causal[None]).unsqueeze(1)


def masked_softmax(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)
    return weights.masked_fill(~mask, 0)
