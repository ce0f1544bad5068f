"""Helpers that bear the names of torch's own functions."""
import math
import torch
import numerics
from numerics import log_softmax as stable_log


class Weights:
    @staticmethod
    def softmax(x, dim):
        return torch.exp(stable_log(x, dim))


class Scores:
    def __init__(self, Q, K):
        self.value = Q @ K.transpose(-2, -1) / math.sqrt(Q.size(-1))

    def masked(self, mask):
        self.value = self.value.masked_fill(~mask, torch.finfo(self.value.dtype).min)
        return self

    def softmax(self):
        return Weights.softmax(self.value, -1)


def attention_scores(Q, K):
    return Scores(Q, K).value


def softmax(x, dim=-1):
    if x.numel() == 0:
        return numerics.softmax(x, dim)
    return Weights.softmax(x, dim)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = Scores(query, key)
    if attn_mask is not None:
        scores.masked(attn_mask)
    weights = scores.softmax()
    return weights @ value, weights


def attention(Q, K, V, mask=None):
    return scaled_dot_product_attention(Q, K, V, attn_mask=mask)
