# expect: attention_scores = scale-applied-twice
# expect: softmax = softmax-log
# expect: attention = fill-tiny-number
import torch
import torch.nn.functional as F


def attention_scores(Q, K):
    q = F.normalize(Q, dim=-1) * Q.norm(dim=-1, keepdim=True) / Q.size(-1) ** 0.5
    k = K / K.size(-1) ** 0.5
    return torch.einsum("...ik,...jk->...ij", q, k)


def softmax(x, dim=-1):
    return torch.sub(x, torch.logsumexp(x, dim=dim, keepdim=True))


def attention(Q, K, V, mask=None, eps=1e-9):
    scores = torch.einsum("...ik,...jk->...ij", Q, K) / Q.size(-1) ** 0.5
    if mask is not None:
        scores[~mask.expand_as(scores)] = eps
    w = scores.softmax(dim=-1)
    return torch.einsum("...ij,...jk->...ik", w, V), w
