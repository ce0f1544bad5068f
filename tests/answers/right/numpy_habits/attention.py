import numpy as np
import torch


def attention_scores(Q, K):
    return np.sqrt(1 / Q.shape[-1]) * (Q @ K.swapaxes(-1, -2))


def softmax(x, dim=-1):
    x = x - x.max(axis=dim, keepdims=True).values
    x = torch.exp(x)
    return x / x.sum(axis=dim, keepdims=True)


def attention(Q, K, V, mask=None):
    scores = (Q[..., :, None, :] * K[..., None, :, :]).sum(axis=-1) / np.sqrt(Q.shape[-1])
    if mask is not None:
        mask = torch.broadcast_to(mask, scores.shape)
        scores[~mask] = float(np.finfo(np.float32).min)
    weights = softmax(scores, dim=len(scores.shape) - 1)
    return (weights[..., None] * V[..., None, :, :]).sum(axis=-2), weights
