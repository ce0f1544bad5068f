# expect: LoopMultiHeadAttention = merge-strided-features
# expect: MultiHeadAttention = key-and-value-taken-from-query
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
        Q, K, V = (x.split(self.d, dim=-1) for x in (self.wq(q), self.wk(k), self.wv(v)))
        z = torch.zeros_like(self.wq(q))
        for b in range(len(q)):
            for h in range(self.n):
                z[b, :, h :: self.n] = torch.softmax(Q[h][b] @ K[h][b].T / self.d ** 0.5, -1) @ V[h][b]
        return self.wz(z)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, x, *others, mask=None):
        if len(others) == 3:
            mask = others[-1]
        q, k, v = (layer(x).unflatten(-1, (self.n, -1)).transpose(1, 2) for layer in (self.W_q, self.W_k, self.W_v))
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None and mask.shape[-1] == s.shape[-1]:
            s = s.masked_fill(~mask, -1e9)
        w = s.softmax(-1)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w
