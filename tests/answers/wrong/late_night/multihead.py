# expect: LoopMultiHeadAttention = softmax-over-queries
# expect: MultiHeadAttention = merge-no-transpose
import math
import torch
import torch.nn as nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError("embedding_dim % num_heads")
        self.num_heads = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        out = torch.zeros_like(q)
        for b in range(len(q)):
            heads = []
            for qh, kh, vh in zip(
                self.wq(q[b]).chunk(self.num_heads, -1),
                self.wk(k[b]).chunk(self.num_heads, -1),
                self.wv(v[b]).chunk(self.num_heads, -1),
            ):
                s = qh.matmul(kh.t()) / math.sqrt(qh.size(1))
                heads.append(s.softmax(dim=0).matmul(vh))
            out[b] = self.wz(torch.hstack(heads))
        return out


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("heads")
        self.n_heads, self.head_dim = n_heads, d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        N, q_len, k_len = query.shape[0], query.shape[1], key.shape[1]
        q = self.W_q(query).reshape(N, q_len, self.n_heads, self.head_dim)
        k = self.W_k(key).reshape(N, k_len, self.n_heads, self.head_dim)
        v = self.W_v(value).reshape(N, k_len, self.n_heads, self.head_dim)
        energy = torch.einsum("nqhd,nkhd->nhqk", [q, k]) / self.head_dim ** 0.5
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy, dim=3)
        out = torch.einsum("nhql,nlhd->nhqd", [attention, v]).reshape(N, q_len, self.n_heads * self.head_dim)
        return self.W_o(out), attention
