import torch


def attention_scores(Q, K):
    d_k = Q.shape[-1]
    return torch.einsum("...td,...sd->...ts", Q, K) / d_k**0.5


def softmax(x, dim=-1):
    weights = torch.exp(x - torch.max(x, dim=dim, keepdim=True).values)
    return weights / torch.sum(weights, dim=dim, keepdim=True)


def attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = torch.where(mask, scores, -1e30)
    weights = softmax(scores)
    return torch.einsum("...ts,...sd->...td", weights, V), weights
