"""Right answers as the source articles write them."""

import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide {embedding_dim} features")
        self.num_heads = num_heads
        self.head_dim = embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        outputs = []
        for sample in range(q.shape[0]):
            Q, K, V = self.wq(q[sample]), self.wk(k[sample]), self.wv(v[sample])
            heads = []
            for head in range(self.num_heads):
                own = slice(head * self.head_dim, (head + 1) * self.head_dim)
                scores = Q[:, own] @ K[:, own].T / torch.sqrt(torch.tensor(self.head_dim))
                heads.append(torch.softmax(scores, dim=-1) @ V[:, own])
            outputs.append(self.wz(torch.cat(heads, dim=-1)))
        return torch.stack(outputs)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{n_heads} heads do not divide {d_model} features")
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.n_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        Q, K, V = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
        scores = torch.matmul(Q, K.transpose(-2, -1)) / torch.sqrt(torch.tensor(self.d_k, dtype=torch.float32))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = torch.softmax(scores, dim=-1)
        joined = torch.matmul(weights, V).transpose(1, 2).contiguous().view(query.size(0), -1, self.n_heads * self.d_k)
        return self.W_o(joined), weights
