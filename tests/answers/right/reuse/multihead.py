import torch
from torch import nn
from attention import attention
from heads import merge_heads, split_heads


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        split_heads(torch.zeros(1, 1, embedding_dim), num_heads)  # raises if they do not fit
        self.num_heads = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        q, k, v = (split_heads(y, self.num_heads) for y in (self.wq(q), self.wk(k), self.wv(v)))
        z = [[attention(q[b, h], k[b, h], v[b, h])[0] for h in range(self.num_heads)] for b in range(len(q))]
        return self.wz(merge_heads(torch.stack([torch.stack(sample) for sample in z])))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be divisible by n_heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        output, weights = attention(
            split_heads(self.W_q(query), self.n_heads),
            split_heads(self.W_k(key), self.n_heads),
            split_heads(self.W_v(value), self.n_heads),
            mask,
        )
        return self.W_o(merge_heads(output)), weights
