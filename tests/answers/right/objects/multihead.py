from abc import ABC, abstractmethod
from collections import OrderedDict
import torch
from torch import nn


class _Base(nn.Module, ABC):
    names = ()

    def __init__(self, width, heads):
        super().__init__()
        if not (width / heads).is_integer():
            raise ValueError("width must be a multiple of the number of heads")
        self.heads = heads
        self.head_width = width // heads
        self._make(width)

    def _make(self, width):
        layers = OrderedDict((name, nn.Linear(width, width)) for name in reversed(self.names))
        for name, layer in layers.items():
            self.register_module(name, layer)

    @abstractmethod
    def forward(self, *args):
        ...


class LoopMultiHeadAttention(_Base):
    names = "wq wk wv wz".split()

    class Head(nn.Module):
        """One head: a window on the layers that all heads share."""

        def __init__(self, parent, index):
            super().__init__()
            self.wq, self.wk, self.wv = parent.wq, parent.wk, parent.wv
            self.columns = slice(index * parent.head_width, (index + 1) * parent.head_width)

        def forward(self, q, k, v):
            q, k, v = self.wq(q)[:, self.columns], self.wk(k)[:, self.columns], self.wv(v)[:, self.columns]
            scores = q @ k.T / q.shape[-1] ** 0.5
            return torch.softmax(scores, dim=-1) @ v

    def __init__(self, embedding_dim, num_heads):
        super().__init__(embedding_dim, num_heads)
        self.all_heads = nn.ModuleList(self.Head(self, h) for h in range(num_heads))

    def forward(self, q, k, v):
        return torch.stack([
            self.wz(torch.cat([head(*sample) for head in self.all_heads], dim=-1))
            for sample in zip(q, k, v)
        ])


class MultiHeadAttention(_Base):
    names = "W_q W_k W_v W_o".split()

    def forward(self, query, key, value, mask=None):
        Q, K, V = map(self._split, (self.W_q(query), self.W_k(key), self.W_v(value)))
        weights = self._weights(Q, K, mask)
        self.attention_map = weights.detach()
        merged = (weights @ V).permute(0, 2, 1, 3).reshape(query.shape)
        return Result(self.W_o(merged), weights)

    def _split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, self.head_width).permute(0, 2, 1, 3)

    def _weights(self, Q, K, mask):
        scores = Q @ K.permute(0, 1, 3, 2) / self.head_width ** 0.5
        if mask is not None:
            scores.masked_fill_(~mask, -1e15)
        return scores.softmax(-1)


class Result(tuple):
    def __new__(cls, output, weights):
        return super().__new__(cls, (output, weights))
