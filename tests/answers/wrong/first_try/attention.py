# expect: attention_scores = scale-missing
# expect: softmax = softmax-no-max-subtraction
# expect: attention = mask-inverted
import torch
import torch.nn.functional as F


def attention_scores(Q, K):
    return torch.einsum("...qd,...kd->...qk", Q, K)


def softmax(x, dim=-1):
    numerator = torch.exp(x)
    return numerator / torch.sum(numerator, dim=dim, keepdim=True)


def attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1)
    scores = scores / K.shape[-1] ** 0.5
    if mask is not None:
        minus = torch.full_like(scores, -1e12)
        scores = torch.where(mask, minus, scores)
    attn = F.softmax(scores, dim=-1)
    return attn @ V, attn
