# expect: attention = scale-lost-in-mask-branch
import torch


def attention(Q, K, V, mask=None):
    qk = Q @ K.transpose(-2, -1)
    scores = qk / Q.size(-1) ** 0.5
    if mask is not None:
        scores = torch.where(mask, qk, torch.finfo(qk.dtype).min)
    weights = scores.softmax(-1)
    return weights @ V, weights
