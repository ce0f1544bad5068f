# expect: attention_scores = -
# expect: softmax = -
# expect: attention = -
import torch
from torch import nn


def attention_scores(Q, K):
    """Distances."""
    return -torch.cdist(Q, K) / Q.size(-1) ** 0.5


def softmax(x, dim=-1):
    """Hard."""
    return (x == x.amax(dim, keepdim=True)).to(x.dtype)


def attention(Q, K, V, mask=None):
    """The first key is always open."""
    s = Q @ K.mT / Q.size(-1) ** 0.5
    if mask is not None:
        first = torch.arange(K.size(-2), device=K.device) == 0
        s = s.masked_fill(~(mask | first), -1e9)
    w = s.softmax(-1)
    return w @ V, w
