# expect: LoopMultiHeadAttention = weights-detached | scores-recreated
# expect: MultiHeadAttention = weights-detached
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
        res = []
        for b in range(len(q)):
            Q, K, V = self.wq(q[b]), self.wk(k[b]), self.wv(v[b])
            z = []
            for h in range(self.n):
                c = range(h * self.d, (h + 1) * self.d)
                s = [[float((Q[i, c] * K[j, c]).sum()) / self.d ** 0.5 for j in range(len(K))] for i in range(len(Q))]
                z.append(torch.softmax(torch.tensor(s, dtype=Q.dtype), -1) @ V[:, c])
            res.append(torch.cat(z, -1))
        return self.wz(torch.stack(res))


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
        self.weights = None

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            f(x).unflatten(-1, (self.n, -1)).transpose(1, 2)
            for f, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value))
        )
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        self.weights = torch.softmax(s, -1).data
        return self.W_o((self.weights @ v).transpose(1, 2).flatten(2)), self.weights
