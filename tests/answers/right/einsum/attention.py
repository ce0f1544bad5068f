import torch
from torch import einsum


def attention_scores(Q, K):
    return einsum("... i d, ... j d -> ... i j", Q, K) * Q.shape[-1] ** -0.5


def softmax(x, dim=-1):
    e = torch.exp(x - torch.amax(x, dim, keepdim=True))
    e = torch.movedim(e, dim, -1)
    return torch.movedim(torch.einsum("...i,...->...i", e, 1 / torch.einsum("...i->...", e)), -1, dim)


def attention(Q, K, V, mask=None):
    sim = einsum("...td,...sd->...ts", Q * Q.shape[-1] ** -0.5, K)
    if mask is not None:
        max_neg_value = -torch.finfo(sim.dtype).max
        sim = sim.masked_fill(~mask, max_neg_value)
    sim = sim - sim.amax(dim=-1, keepdim=True).detach()
    attn = sim.softmax(dim=-1)
    return einsum("...ts,...sd->...td", attn, V), attn
