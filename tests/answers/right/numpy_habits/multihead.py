import numpy as np
import torch
import torch.nn as nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError
        self.borders = np.linspace(0, embedding_dim, num_heads + 1).astype(int)
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        Q, K, V = self.wq(q), self.wk(k), self.wv(v)
        Z = torch.empty_like(Q)
        for b, h in np.ndindex(len(q), len(self.borders) - 1):
            lo, hi = self.borders[h], self.borders[h + 1]
            s = Q[b, :, lo:hi] @ K[b, :, lo:hi].T / np.sqrt(hi - lo)
            Z[b, :, lo:hi] = torch.softmax(s, axis=-1) @ V[b, :, lo:hi]
        return self.wz(Z)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model %% n_heads = %d" % (d_model % n_heads))
        self.n_heads = n_heads
        self.d_k = np.int64(d_model // n_heads)
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        B, T, D = query.shape
        Q = self.W_q(query).reshape(B, T, self.n_heads, self.d_k).transpose(1, 2)
        K = self.W_k(key).reshape(B, -1, self.n_heads, self.d_k).transpose(1, 2)
        V = self.W_v(value).reshape(B, -1, self.n_heads, self.d_k).transpose(1, 2)
        logits = Q @ K.swapaxes(-2, -1) / np.sqrt(self.d_k)
        if mask is not None:
            logits = torch.where(mask, logits, np.float32(-1e30))
        weights = torch.exp(logits - torch.logsumexp(logits, axis=-1, keepdims=True))
        output = (weights @ V).swapaxes(1, 2).reshape(B, T, D)
        return self.W_o(output), weights
