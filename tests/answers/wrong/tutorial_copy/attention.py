# expect: attention_scores = query-key-swapped
# expect: softmax = softmax-global-max
# expect: attention = mask-multiplies-scores
import numpy as np
import torch
import torch.nn as nn


def attention_scores(Q, K):
    d_k = K.size(-1)
    return torch.matmul(K, Q.transpose(-1, -2)) / np.sqrt(d_k)


def softmax(x, dim=-1):
    x = torch.exp(x - torch.max(x))
    return x / torch.sum(x, dim, keepdim=True)


class ScaledDotProductAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, Q, K, V, attn_mask):
        scores = torch.matmul(Q, K.transpose(-1, -2)) / np.sqrt(K.size(-1))
        if attn_mask is not None:
            scores = scores * attn_mask.float()
        attn = self.softmax(scores)
        context = torch.matmul(attn, V)
        return context, attn


def attention(Q, K, V, mask=None):
    return ScaledDotProductAttention()(Q, K, V, mask)
