# expect: LoopMultiHeadAttention = -
# expect: MultiHeadAttention = -
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    """The sequences are joined before the last layer, and the loop forgets the last head."""

    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError
        self.n, self.d = num_heads, embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        out = []
        for b in range(len(q)):
            z = torch.zeros_like(q[b])
            for h in range(self.n - 1):
                c = slice(h * self.d, h * self.d + self.d)
                Q, K, V = self.wq(q[b])[:, c], self.wk(k[b])[:, c], self.wv(v[b])[:, c]
                z[:, c] = torch.softmax(Q @ K.T / self.d ** 0.5, -1) @ V
            out.append(self.wz(z))
        return torch.stack(out)


class MultiHeadAttention(nn.Module):
    """Always causal."""

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
        past = torch.ones_like(s[0, 0], dtype=torch.bool).tril(s.size(-1) - s.size(-2))
        s = s.masked_fill(~(past if mask is None else past & mask), -1e9)
        w = s.softmax(-1)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w
