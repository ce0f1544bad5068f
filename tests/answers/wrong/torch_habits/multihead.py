# expect: LoopMultiHeadAttention = projection-bias-forgotten
# expect: MultiHeadAttention = softmax-over-heads
import torch
import torch.nn.functional as F
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError
        self.num_heads = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        outs = []
        d = q.shape[-1] // self.num_heads
        for b in range(q.shape[0]):
            z = []
            for h in range(self.num_heads):
                rows = slice(h * d, (h + 1) * d)
                Q, K, V = (x[b] @ w.weight[rows].T for x, w in ((q, self.wq), (k, self.wk), (v, self.wv)))
                z.append(F.softmax(Q @ K.T / d ** 0.5, dim=-1) @ V)
            outs.append(self.wz(torch.cat(z, dim=-1)))
        return torch.stack(outs)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        B, T, D = query.shape
        q = self.W_q(query).view(B, T, self.n_heads, -1).transpose(1, 2)
        k = self.W_k(key).view(B, key.shape[1], self.n_heads, -1).transpose(1, 2)
        v = self.W_v(value).view(B, key.shape[1], self.n_heads, -1).transpose(1, 2)
        s = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        w = F.softmax(s)  # implicit dim: 1
        return self.W_o((w @ v).transpose(1, 2).reshape(B, T, D)), w
