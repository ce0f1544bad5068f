# expect: LoopMultiHeadAttention = weights-transposed-before-v
# expect: MultiHeadAttention = mask-missing-head-axis
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError
        self.n = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        z = []
        for b in range(len(q)):
            hs = []
            for Q, K, V in zip(*(f(x[b]).chunk(self.n, -1) for f, x in ((self.wq, q), (self.wk, k), (self.wv, v)))):
                w = torch.softmax(torch.einsum("td,sd->ts", Q, K) / Q.shape[-1] ** 0.5, -1)
                hs.append(torch.einsum("st,sd->td", w, V))
            z.append(torch.cat(hs, -1))
        return self.wz(torch.stack(z))


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
        split = lambda x: x.unflatten(-1, (self.n, -1)).transpose(1, 2)
        q, k, v = split(self.W_q(query)), split(self.W_k(key)), split(self.W_v(value))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            mask = mask[:, 0]
            s = s + torch.where(mask, 0.0, -1e9)
        w = s.softmax(-1)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w
