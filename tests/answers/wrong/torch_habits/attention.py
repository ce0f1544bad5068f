# expect: attention_scores = scale-floor-division
# expect: softmax = softmax-over-queries
# expect: attention = softmax-implicit-dim
import math
import torch
import torch.nn.functional as F


def attention_scores(Q, K):
    return torch.div(Q @ K.transpose(-2, -1), math.sqrt(Q.shape[-1]), rounding_mode="floor")


def softmax(x, dim=-1):
    top = torch.amax(x, dim=-2, keepdim=True)
    e = torch.exp(x - top)
    return e / torch.sum(e, dim=-2, keepdim=True)


def attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = F.softmax(scores)
    return weights @ V, weights
