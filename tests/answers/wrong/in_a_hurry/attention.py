# expect: attention_scores = key-reshaped-not-transposed
# expect: softmax = weights-detached
# expect: attention = return-order-swapped
import math
import torch


def attention_scores(Q, K):
    Kt = K.view(*K.shape[:-2], K.shape[-1], K.shape[-2])
    return torch.matmul(Q, Kt) / math.sqrt(Q.shape[-1])


def softmax(x, dim=-1):
    a = x.detach().numpy()
    import numpy as np

    e = np.exp(a - a.max(axis=dim, keepdims=True))
    return torch.from_numpy(e / e.sum(axis=dim, keepdims=True))


def attention(Q, K, V, mask=None):
    s = attention_weights(Q, K, mask)
    return s, s @ V


def attention_weights(Q, K, mask):
    s = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    return torch.softmax(s, -1)
