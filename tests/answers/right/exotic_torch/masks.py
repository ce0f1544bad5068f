import torch


def padding_mask(lengths, max_len):
    rows = torch.ones(max_len + 1, max_len, dtype=torch.bool, device=lengths.device).tril(-1)
    return rows.index_select(0, lengths)


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.stack([torch.cat([torch.ones(S - T + t + 1), torch.zeros(T - t - 1)]) for t in range(T)])


def combine_masks(padding, causal):
    return torch.einsum("bs,ts->bts", padding.float(), causal.float()).gt(0).unflatten(1, (1, -1))


def masked_softmax(scores, mask):
    hidden = ~mask
    shifted = scores - scores.masked_fill(hidden, torch.finfo(scores.dtype).min).amax(-1, keepdim=True).detach()
    e = shifted.masked_fill(hidden, -torch.inf).exp()
    total = e.sum(-1, keepdim=True)
    return e.div(total.masked_fill(total == 0, 1))
