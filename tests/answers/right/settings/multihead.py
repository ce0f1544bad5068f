import copy
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError("no")
        self.num_heads = num_heads
        self.linears = clones(nn.Linear(embedding_dim, embedding_dim), 4)
        self.wq, self.wk, self.wv, self.wz = self.linears

    def forward(self, q, k, v):
        q, k, v = [layer(x) for layer, x in zip(self.linears, (q, k, v))]
        return self.wz(torch.stack([self.sequence(*qkv) for qkv in zip(q, k, v)]))

    def sequence(self, q, k, v):
        size = q.shape[-1] // self.num_heads
        heads = [slice(i, i + size) for i in range(0, q.shape[-1], size)]
        return torch.cat([self.head(q[:, h], k[:, h], v[:, h]) for h in heads], dim=-1)

    @staticmethod
    def head(q, k, v):
        return torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1) @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("no")
        self.n_heads = n_heads
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.W_q, self.W_k, self.W_v, self.W_o = self.linears
        self.attn = None

    def _attend(self, q, k, v, mask):
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn = scores.softmax(dim=-1)
        return attn @ v, attn

    def forward(self, query, key, value, mask=None):
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.n_heads, x.size(-1) // self.n_heads).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = checkpoint(self._attend, query, key, value, mask, use_reentrant=False)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.linears[-1].in_features)
        return self.linears[-1](x), self.attn
