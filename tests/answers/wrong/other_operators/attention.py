# expect: attention_scores = key-reversed-all-axes
# expect: softmax = softmax-max-without-keepdim
# expect: attention = query-key-swapped
import math
import torch


def attention_scores(Q, K):
    dims = list(range(K.dim()))[::-1]
    return torch.matmul(Q, K.permute(dims)) / math.sqrt(Q.size(-1))


def softmax(x, dim=-1):
    shifted = torch.sub(x, torch.amax(x, dim=dim))
    e = torch.exp(shifted)
    return torch.div(e, torch.sum(e, dim=dim, keepdim=True))


def attention(Q, K, V, mask=None):
    scores = torch.einsum("...sd,...td->...st", K, Q) / math.sqrt(K.size(-1))
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    w = torch.softmax(scores, -1)
    return torch.einsum("...ts,...sd->...td", w, V), w
