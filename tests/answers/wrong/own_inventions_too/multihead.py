# expect: LoopMultiHeadAttention = merge-sums-heads
# expect: MultiHeadAttention = -
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    """Sliced by position instead of by head."""

    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        assert embedding_dim % num_heads == 0, ValueError("no")
        self.n, self.d = num_heads, embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        for b in range(len(q)):
            for h in range(self.n):
                c = slice(h * self.d, h * self.d + self.d)
                z = torch.softmax(self.wq(q[b])[:, c] @ self.wk(k[b])[:, c].T / self.d ** 0.5, -1) @ self.wv(v[b])[:, c]
        return self.wz(z)


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
        self.norm = nn.LayerNorm(d_model)

    def forward(self, query, key, value, mask=None):
        split = lambda x: x.unflatten(-1, (self.n, -1)).transpose(1, 2)
        q, k, v = split(self.W_q(query)), split(self.W_k(key)), split(self.W_v(value))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        w = s.softmax(-1)
        return self.norm(self.W_o((w @ v).transpose(1, 2).flatten(2))), w
