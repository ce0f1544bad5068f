# expect: attention_scores = scale-fourth-root-once
# expect: softmax = weights-edited-in-place
# expect: attention = scale-after-softmax
import math
import torch


def attention_scores(Q, K):
    return (Q / math.sqrt(math.sqrt(Q.shape[-1]))) @ K.mT


def softmax(x, dim=-1):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    e /= e.sum(dim, keepdim=True)
    return e


def attention(Q, K, V, mask=None):
    """softmax(Q K^T) V / sqrt(d_k): the brackets of the formula, misread."""
    s = torch.matmul(Q, K.transpose(-2, -1))
    if mask is not None:
        s = s.masked_fill(mask == 0, -1e9)
    w = torch.softmax(s, dim=-1)
    return torch.matmul(w, V) / math.sqrt(Q.shape[-1]), w
