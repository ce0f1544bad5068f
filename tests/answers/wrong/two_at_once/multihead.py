# expect: LoopMultiHeadAttention = scale-by-d-model + softmax-over-queries
# expect: MultiHeadAttention = split-view-only + scale-by-d-model
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, D, H):
        super().__init__()
        if D % H:
            raise ValueError
        self.D, self.H = D, H
        self.wq, self.wk, self.wv, self.wz = [nn.Linear(D, D) for _ in range(4)]

    def forward(self, q, k, v):
        def one(b, h):
            s = slice(h * self.D // self.H, (h + 1) * self.D // self.H)
            w = (Q[b, :, s] @ K[b, :, s].t() / self.D ** 0.5).softmax(0)
            return w @ V[b, :, s]

        Q, K, V = self.wq(q), self.wk(k), self.wv(v)
        return self.wz(torch.stack([torch.cat([one(b, h) for h in range(self.H)], 1) for b in range(len(q))]))


class MultiHeadAttention(nn.Module):
    def __init__(self, D, H):
        super().__init__()
        if D % H:
            raise ValueError
        self.D, self.H = D, H
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(D, D) for _ in range(4)]

    def forward(self, query, key, value, mask=None):
        N = len(query)
        q = self.W_q(query).reshape(N, self.H, query.shape[1], self.D // self.H)
        k = self.W_k(key).reshape(N, self.H, key.shape[1], self.D // self.H)
        v = self.W_v(value).reshape(N, self.H, value.shape[1], self.D // self.H)
        s = torch.matmul(q, k.transpose(2, 3)) / (self.D ** 0.5)
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        w = torch.softmax(s, dim=3)
        return self.W_o(torch.matmul(w, v).transpose(1, 2).reshape(N, -1, self.D)), w
