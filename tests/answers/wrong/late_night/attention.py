# expect: attention_scores = scale-inverted
# expect: softmax = softmax-fixed-dim
# expect: attention = mask-fill-discarded
import math
import torch


def attention_scores(Q, K):
    scale = 1 / math.sqrt(Q.size(-1))
    dots = torch.matmul(Q, K.mT)
    return dots.div(scale)


def softmax(x, dim=-1):
    z = x - torch.max(x, dim=-1, keepdim=True).values
    e = z.exp()
    return e / e.sum(-1, keepdim=True)


def attention(Q, K, V, mask=None):
    logits = Q @ K.mT * Q.shape[-1] ** -0.5
    if mask is not None:
        torch.masked_fill(logits, mask == False, float("-inf"))
    p = torch.softmax(logits, -1)
    return torch.matmul(p, V), p
