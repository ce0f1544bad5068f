# expect: LoopMultiHeadAttention = value-uses-key-projection
# expect: MultiHeadAttention = weights-averaged-over-heads
import torch
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
        outputs = []
        for b in range(q.shape[0]):
            Q = self.wq(q[b])
            K = self.wk(k[b])
            V = self.wk(v[b])
            heads = []
            for Qh, Kh, Vh in zip(*[t.chunk(self.num_heads, dim=-1) for t in (Q, K, V)]):
                heads.append(torch.softmax(Qh @ Kh.T / Kh.shape[-1] ** 0.5, dim=-1) @ Vh)
            outputs.append(self.wz(torch.cat(heads, dim=-1)))
        return torch.stack(outputs)


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
        heads = lambda x: x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        q, k, v = heads(self.W_q(query)), heads(self.W_k(key)), heads(self.W_v(value))
        s = torch.einsum("bhtd,bhsd->bhts", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        w = s.softmax(-1)
        return self.W_o(torch.einsum("bhts,bhsd->bthd", w, v).flatten(2)), w.sum(dim=1) / self.n_heads
