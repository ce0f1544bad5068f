# expect: LoopMultiHeadAttention = weights-transposed-before-v
# expect: MultiHeadAttention = returns-scores-as-weights
import numpy as np
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError("bad shape")
        self.h = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        res = []
        for a, b, c in zip(self.wq(q), self.wk(k), self.wv(v)):
            parts = []
            for i, j, l in zip(a.tensor_split(self.h, 1), b.tensor_split(self.h, 1), c.tensor_split(self.h, 1)):
                w = torch.softmax(i @ j.T / np.sqrt(i.shape[1]), axis=1)
                parts.append(w.T @ l)
            res.append(torch.cat(parts, axis=1))
        return self.wz(torch.stack(res))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("bad shape")
        self.h = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        B, T, D = query.shape
        heads = lambda x: x.reshape(B, -1, self.h, D // self.h).swapaxes(1, 2)
        q, k, v = heads(self.W_q(query)), heads(self.W_k(key)), heads(self.W_v(value))
        weights = q @ k.swapaxes(2, 3) / np.sqrt(D // self.h)
        if mask is not None:
            weights = torch.where(mask, weights, -1e9)
        out = torch.softmax(weights, axis=-1) @ v
        return self.W_o(out.swapaxes(1, 2).reshape(B, T, D)), weights
