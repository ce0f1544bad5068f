# expect: LoopMultiHeadAttention = scale-no-sqrt + value-uses-key-projection
# expect: MultiHeadAttention = returns-scores-as-weights + fully-masked-nan
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError
        self.n = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        z = []
        for b in range(len(q)):
            parts = (self.wq(q[b]).chunk(self.n, -1), self.wk(k[b]).chunk(self.n, -1), self.wk(v[b]).chunk(self.n, -1))
            z.append(self.wz(torch.cat([(a @ b.T / a.shape[-1]).softmax(-1) @ c for a, b, c in zip(*parts)], -1)))
        return torch.stack(z)


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
            s = s.masked_fill(~mask, float("-inf"))
        return self.W_o((s.softmax(-1) @ v).transpose(1, 2).flatten(2)), s
