# expect: LoopMultiHeadAttention = kv-shaped-by-query-length
# expect: MultiHeadAttention = query-from-memory
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        self.n, self.d = num_heads, embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        B, T, D = q.shape
        out = torch.zeros_like(q)
        for b in range(B):
            Q, K, V = self.wq(q[b]), self.wk(k[b][:T]), self.wv(v[b][:T])
            for h in range(self.n):
                c = slice(h * self.d, (h + 1) * self.d)
                out[b, :, c] = torch.softmax(Q[:, c] @ K[:, c].T / self.d ** 0.5, -1) @ V[:, c]
        return self.wz(out)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, decoder, encoder, values=None, mask=None):
        split = lambda x: x.unflatten(-1, (self.n, -1)).transpose(1, 2)
        q, k, v = split(self.W_q(encoder)), split(self.W_k(decoder)), split(self.W_v(decoder))
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask.mT, -1e9)
        w = s.softmax(-1)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w
