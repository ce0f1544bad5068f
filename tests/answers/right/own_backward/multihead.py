import math
import torch
import torch.nn as nn
from torch.nn.parameter import Parameter


class _W(nn.Module):
    """Only holds the parameters; the products are written out where they are needed."""

    def __init__(self, n):
        super().__init__()
        self.weight = Parameter(torch.empty(n, n))
        self.bias = Parameter(torch.empty(n))
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads != 0:
            raise ValueError("no")
        # the heads come first, so the layers are registered through them
        self.layers = nn.ModuleDict({name: _W(embedding_dim) for name in ("wq", "wk", "wv", "wz")})
        self.wq, self.wk, self.wv, self.wz = self.layers.values()
        self.num_heads = num_heads

    def head(self, h, q, k, v):
        d = q.shape[-1] // self.num_heads
        rows = range(h * d, (h + 1) * d)
        W = {n: (self.layers[n].weight[list(rows)], self.layers[n].bias[list(rows)]) for n in ("wq", "wk", "wv")}
        Q = q @ W["wq"][0].T + W["wq"][1]
        K = k @ W["wk"][0].T + W["wk"][1]
        V = v @ W["wv"][0].T + W["wv"][1]
        return torch.softmax(Q @ K.T / math.sqrt(d), -1) @ V

    def forward(self, q, k, v):
        out = []
        for b in range(len(q)):
            Z = torch.cat([self.head(h, q[b], k[b], v[b]) for h in range(self.num_heads)], dim=1)
            out.append(Z @ self.wz.weight.T + self.wz.bias)
        return torch.stack(out)


class MultiHeadAttention(nn.Module):
    """q, k and v in one fused product, as fast implementations do it."""

    def __init__(self, d_model, n_heads, dropout=0.1, bias=True):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model has to be divisible by n_heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.attn_dropout = nn.Dropout(dropout)
        self.resid_dropout = nn.Dropout(dropout)
        self._reset_parameters()

    def _reset_parameters(self):
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
            else:
                nn.init.constant_(p, 0.0)

    def forward(self, query, key, value, mask=None):
        B, T, D = query.shape
        S = key.shape[1]
        if query is key and key is value:
            W = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
            b = torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias])
            q, k, v = nn.functional.linear(query, W, b).split(D, dim=2)
        else:
            q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        k = k.view(B, S, self.n_heads, D // self.n_heads).transpose(1, 2)
        q = q.view(B, T, self.n_heads, D // self.n_heads).transpose(1, 2)
        v = v.view(B, S, self.n_heads, D // self.n_heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if mask is not None:
            att = att.masked_fill(mask.expand_as(att) == 0, torch.finfo(att.dtype).min)
        att = nn.functional.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, D)
        return self.resid_dropout(self.W_o(y)), att
