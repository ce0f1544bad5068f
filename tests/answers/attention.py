"""Right answers as the source articles write them."""

import torch
from torch.nn import functional as F


def attention_scores(Q, K):
    d_k = torch.tensor(Q.shape[-1], dtype=torch.float32)
    return torch.matmul(Q, K.transpose(-2, -1)) / torch.sqrt(d_k)


def softmax(x, dim=-1):
    e = torch.exp(x - torch.max(x, dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


def attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights
