# expect: attention_scores = fixed-number-of-axes
# expect: softmax = softmax-over-everything
# expect: attention = softmax-over-heads
import math
import torch


def attention_scores(Q, K):
    return torch.matmul(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])


def softmax(x, dim=-1):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum()


def attention(Q, K, V, mask=None):
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    w = torch.softmax(scores, dim=1)
    return torch.matmul(w, V), w
