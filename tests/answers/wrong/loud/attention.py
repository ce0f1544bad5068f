# expect: attention_scores = sqrt-of-python-int
# expect: softmax = softmax-missing
# expect: attention = weights-transposed-before-v
import torch


def attention_scores(Q, K):
    d_k = Q.shape[-1]
    return torch.einsum("...td,...sd->...ts", Q, K) / torch.sqrt(d_k)


def softmax(x, dim=-1):
    return x.clone()


def attention(Q, K, V, mask=None):
    scores = torch.einsum("...td,...sd->...ts", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    return torch.einsum("...st,...sd->...td", weights, V), weights
