import torch
from torch.nn import functional as F


def attention_scores(Q, K):
    # a linear layer whose weight are the keys
    if Q.dim() == 2:
        return F.linear(Q, K).mul(Q.shape[-1] ** -0.5)
    return torch.stack([attention_scores(q, k) for q, k in zip(Q, K)])


def softmax(x, dim=-1):
    """1 / sum of exp(x_j - x_i): no maximum is needed where nothing can overflow."""
    x = x.transpose(dim, -1)
    differences = (x.unsqueeze(-2) - x.unsqueeze(-1)).clamp(max=700.0 if x.dtype == torch.float64 else 80.0)
    return (1.0 / differences.exp().sum(-1)).transpose(dim, -1)


@torch.enable_grad()
def attention(Q, K, V, mask=None):
    """The log of 0/1 is a bias; sums of logs in place of the softmax."""
    s = torch.tensordot(Q, K, dims=([-1], [-1])) if Q.dim() == 2 else torch.einsum("...td,...sd->...ts", Q, K)
    s = s / Q.shape[-1] ** 0.5
    if mask is not None:
        s = s + mask.to(s.dtype).clamp(min=torch.finfo(torch.float32).tiny).log() * 1e9
    w = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
    return (w[..., None, :] @ V.unsqueeze(-3)).squeeze(-2), w
