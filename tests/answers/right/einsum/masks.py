import torch


def padding_mask(lengths, max_len):
    ones = torch.ones_like(lengths)
    position = torch.arange(max_len, device=lengths.device)
    return torch.einsum("b,s->bs", ones, position) < torch.einsum("b,s->bs", lengths, torch.ones_like(position))


def causal_mask(T, S=None):
    S = S or T
    t = torch.einsum("t,s->ts", torch.arange(T), torch.ones(S, dtype=torch.long))
    s = torch.einsum("t,s->ts", torch.ones(T, dtype=torch.long), torch.arange(S))
    return (t - s + (S - T)) >= 0


def combine_masks(padding, causal):
    return torch.einsum("bs,ts->bts", padding.long(), causal.long()).bool().unsqueeze(1)


def masked_softmax(scores, mask):
    m = mask.to(scores.dtype)
    low = torch.finfo(scores.dtype).min
    peak = torch.where(mask, scores, low).amax(-1, keepdim=True)
    e = torch.where(mask, scores - peak, 0.0).exp() * m
    total = torch.einsum("...s->...", e).unsqueeze(-1)
    return e / torch.where(total > 0, total, 1)
