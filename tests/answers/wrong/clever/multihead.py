# expect: LoopMultiHeadAttention = split-view-only
# expect: MultiHeadAttention = scale-d-k-over-heads
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError("heads")
        self.h, self.d = num_heads, embedding_dim // num_heads
        self.wq, self.wk, self.wv, self.wz = (nn.Linear(embedding_dim, embedding_dim) for _ in range(4))

    def forward(self, q, k, v):
        out = []
        for b in range(q.size(0)):
            Q = self.wq(q[b]).view(self.h, -1, self.d)
            K = self.wk(k[b]).view(self.h, -1, self.d)
            V = self.wv(v[b]).view(self.h, -1, self.d)
            z = [(Q[h] @ K[h].T / self.d ** 0.5).softmax(-1) @ V[h] for h in range(self.h)]
            out.append(self.wz(torch.cat(z, dim=-1)))
        return torch.stack(out)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("heads")
        self.h, self.d = n_heads, d_model // n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            f(x).unflatten(-1, (self.h, self.d)).transpose(1, 2)
            for f, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        scale = (q.size(-1) // self.h) ** -0.5
        s = torch.einsum("bhid,bhjd->bhij", q, k) * scale
        if mask is not None:
            s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
        a = s.softmax(-1)
        return self.W_o(torch.einsum("bhij,bhjd->bihd", a, v).flatten(2)), a
