# expect: LoopMultiHeadAttention = buffer-of-default-dtype
# expect: MultiHeadAttention = -
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
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
        B, T, D = q.shape
        z = torch.zeros(B, T, D)
        for b in range(B):
            Q, K, V = self.wq(q[b]), self.wk(k[b]), self.wv(v[b])
            for h in range(self.n):
                c = slice(h * self.d, h * self.d + self.d)
                z[b, :, c] = torch.softmax(Q[:, c] @ K[:, c].T / self.d ** 0.5, -1) @ V[:, c]
        return self.wz(z)


class MultiHeadAttention(nn.Module):
    """Right, but head by head."""

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
        zs, ws = [], []
        for q, k, v in zip(*(f(x).chunk(self.n, -1) for f, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))):
            s = q @ k.mT / q.size(-1) ** 0.5
            if mask is not None:
                s = s.masked_fill(~mask.squeeze(1), -1e9)
            ws.append(s.softmax(-1))
            zs.append(ws[-1] @ v)
        return self.W_o(torch.cat(zs, -1)), torch.stack(ws, 1)
