# expect: LoopMultiHeadAttention = scale-by-d-model
# expect: MultiHeadAttention = missing-output-projection
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads != 0:
            raise ValueError("not divisible")
        self.embedding_dim = embedding_dim
        self.num_heads = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        size = self.embedding_dim // self.num_heads
        batch = []
        for i in range(q.shape[0]):
            qq, kk, vv = self.wq(q[i]), self.wk(k[i]), self.wv(v[i])
            zs = []
            for h in range(self.num_heads):
                a, b = h * size, h * size + size
                s = qq[:, a:b] @ kk[:, a:b].T
                s = s / torch.sqrt(torch.tensor(self.embedding_dim, dtype=torch.float32))
                zs.append(torch.softmax(s, dim=-1) @ vv[:, a:b])
            batch.append(self.wz(torch.cat(zs, dim=-1)))
        return torch.stack(batch)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model % n_heads")
        self.h = n_heads
        self.dk = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.h, self.dk).permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
        a = q @ k.permute(0, 1, 3, 2) / self.dk ** 0.5
        if mask is not None:
            a = a.masked_fill(~mask, -1e20)
        a = a.softmax(-1)
        z = (a @ v).permute(0, 2, 1, 3).contiguous().view(query.size(0), -1, self.h * self.dk)
        return z, a
