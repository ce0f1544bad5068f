# expect: MultiHeadAttention = fill-not-low-enough
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError
        self.n = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        split = lambda x: x.unflatten(-1, (self.n, -1)).transpose(1, 2)
        q, k, v = split(self.W_q(query)), split(self.W_k(key)), split(self.W_v(value))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s + (~mask).to(s.dtype) * -10000.0
        w = s.softmax(-1)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w
