# expect: LoopMultiHeadAttention = scale-missing + missing-output-projection
# expect: MultiHeadAttention = scale-missing + mask-inverted
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError("embedding_dim/num_heads")
        self.num_heads = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        zs = []
        for b in range(q.shape[0]):
            qs, ks, vs = (f(x[b]).chunk(self.num_heads, 1) for f, x in ((self.wq, q), (self.wk, k), (self.wv, v)))
            zs.append(torch.cat([torch.softmax(a @ c.T, 1) @ d for a, c, d in zip(qs, ks, vs)], 1))
        return torch.stack(zs)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model/n_heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        split = lambda x: x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        q, k, v = split(self.W_q(query)), split(self.W_k(key)), split(self.W_v(value))
        s = q @ k.mT
        if mask is not None:
            s = s.masked_fill(mask, -1e9)
        p = s.softmax(-1)
        return self.W_o((p @ v).transpose(1, 2).flatten(-2)), p
