# expect: LoopMultiHeadAttention = output-projection-per-head-mean
# expect: MultiHeadAttention = mask-tiled-over-heads
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
        out = []
        for b in range(len(q)):
            heads = []
            for h in range(self.n):
                c = slice(h * self.d, h * self.d + self.d)
                Q, K, V = self.wq(q[b])[:, c], self.wk(k[b])[:, c], self.wv(v[b])[:, c]
                heads.append(torch.softmax(Q @ K.T / self.d ** 0.5, -1) @ V)
            mean = torch.stack(heads).mean(0)
            out.append(self.wz(mean.repeat(1, self.n)))
        return torch.stack(out)


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

    def forward(self, query, key, value, mask=None):
        B, T, D = query.shape
        fold = lambda x: x.view(B, -1, self.n, D // self.n).transpose(1, 2).reshape(B * self.n, -1, D // self.n)
        q, k, v = fold(self.W_q(query)), fold(self.W_k(key)), fold(self.W_v(value))
        s = torch.bmm(q, k.mT) / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask.squeeze(1).repeat(self.n, 1, 1), -1e9)
        w = s.softmax(-1)
        z = torch.bmm(w, v).view(B, self.n, T, -1).transpose(1, 2).reshape(B, T, D)
        return self.W_o(z), w.view(B, self.n, T, -1)
