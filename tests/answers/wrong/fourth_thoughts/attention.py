# expect: attention_scores = scale-by-d-model
# expect: attention = weights-edited-in-place
import torch


def attention_scores(Q, K):
    width = Q.shape[-1] * (Q.shape[1] if Q.dim() == 4 else 1)
    return torch.einsum("...td,...sd->...ts", Q, K) / width ** 0.5


def attention(Q, K, V, mask=None):
    s = torch.einsum("...td,...sd->...ts", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = torch.where(mask, s, torch.finfo(s.dtype).min)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    e /= e.sum(-1, keepdim=True)
    return torch.einsum("...ts,...sd->...td", e, V), e
