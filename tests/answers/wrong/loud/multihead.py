# expect: LoopMultiHeadAttention = query-key-swapped
# expect: MultiHeadAttention = kv-shaped-by-query-length
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads != 0:
            raise ValueError("heads")
        self.num_heads = num_heads
        self.width = embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        out = []
        for b in range(q.shape[0]):
            Q, K, V = self.wq(q[b]), self.wk(k[b]), self.wv(v[b])
            heads = []
            for h in range(self.num_heads):
                cols = slice(h * self.width, h * self.width + self.width)
                scores = torch.einsum("td,sd->st", Q[:, cols], K[:, cols]) / self.width ** 0.5
                heads.append(torch.softmax(scores, -1).mm(V[:, cols]))
            out.append(torch.cat(heads, -1))
        return self.wz(torch.stack(out))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(d_model, n_heads)
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        B, T, D = query.size()
        d = D // self.n_heads
        k = self.W_k(key).view(B, T, self.n_heads, d).transpose(1, 2)
        q = self.W_q(query).view(B, T, self.n_heads, d).transpose(1, 2)
        v = self.W_v(value).view(B, T, self.n_heads, d).transpose(1, 2)
        att = q @ k.transpose(-2, -1) / d ** 0.5
        if mask is not None:
            att = att.masked_fill(mask == 0, -1e9)
        att = torch.softmax(att, -1)
        return self.W_o((att @ v).transpose(1, 2).contiguous().view(B, T, D)), att
