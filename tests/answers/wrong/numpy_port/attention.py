# expect: attention_scores = key-reversed-all-axes
# expect: softmax = softmax-max-without-keepdim
# expect: attention = softmax-over-queries
import numpy as np
import torch


def attention_scores(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[-1])


def softmax(x, dim=-1):
    e = torch.exp(x - x.max(dim).values)
    return e / e.sum(dim)


def attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])
    if mask is not None:
        scores = scores + torch.where(mask, 0.0, -1e9)
    e = torch.exp(scores - scores.amax(axis=-2, keepdims=True))
    w = e / e.sum(axis=-2, keepdims=True)
    return w @ V, w
