import torch
from torch import nn, einsum


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads != 0:
            raise ValueError(f"embedding_dim {embedding_dim} not divisible by num_heads {num_heads}")
        self.h, self.d = num_heads, embedding_dim // num_heads
        for name in ["wq", "wk", "wv", "wz"]:
            self.add_module(name, nn.Linear(embedding_dim, embedding_dim))

    def forward(self, q, k, v):
        q, k, v = self.wq(q), self.wk(k), self.wv(v)
        out = torch.zeros_like(q)
        for b, (qb, kb, vb) in enumerate(zip(q, k, v)):
            for h in range(self.h):
                cols = torch.arange(h * self.d, (h + 1) * self.d, device=q.device)
                sim = einsum("id,jd->ij", qb.index_select(1, cols), kb.index_select(1, cols)) * self.d ** -0.5
                out[b, :, cols] = einsum("ij,jd->id", sim.softmax(-1), vb.index_select(1, cols))
        return self.wz(out)


class MultiHeadAttention(nn.Module):
    """The heads are an axis of the weights themselves."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model % n_heads != 0")
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def project(self, layer, x):
        W = layer.weight.view(self.n_heads, self.d_head, -1)
        b = layer.bias.view(self.n_heads, 1, self.d_head)
        return einsum("bnm,hdm->bhnd", x, W) + b

    def forward(self, query, key, value, mask=None):
        q = self.project(self.W_q, query)
        k = self.project(self.W_k, key)
        v = self.project(self.W_v, value)
        dots = einsum("bhid,bhjd->bhij", q, k) / self.d_head ** 0.5
        if mask is not None:
            dots = dots.masked_fill(torch.logical_not(mask), -torch.finfo(dots.dtype).max)
        attn = dots.softmax(dim=-1)
        z = einsum("bhij,bhjd->bhid", attn, v)
        W_O = self.W_o.weight.view(-1, self.n_heads, self.d_head)
        return einsum("bhid,mhd->bim", z, W_O) + self.W_o.bias, attn
