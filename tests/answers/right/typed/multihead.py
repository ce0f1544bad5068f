from __future__ import annotations

import math
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Config(NamedTuple):
    width: int
    heads: int

    @property
    def head_width(self) -> int:
        width, rest = divmod(self.width, self.heads)
        if rest:
            raise ValueError(f"{self.heads} does not divide {self.width}")
        return width


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim: int, num_heads: int) -> None:
        super().__init__()
        self.config = Config(embedding_dim, num_heads)
        self.d_k: int = self.config.head_width
        self.wq, self.wk, self.wv, self.wz = [nn.Linear(embedding_dim, embedding_dim) for _ in range(4)]

    def _head(self, Q: Tensor, K: Tensor, V: Tensor, h: int) -> Tensor:
        Qh, Kh, Vh = (x.narrow(dim=1, start=h * self.d_k, length=self.d_k) for x in (Q, K, V))
        scores = Qh.mm(Kh.t()) / math.sqrt(self.d_k)
        return scores.softmax(dim=1).mm(Vh)

    def _sample(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        Q, K, V = self.wq(q), self.wk(k), self.wv(v)
        heads = tuple(self._head(Q, K, V, h) for h in range(self.config.heads))
        return self.wz(torch.concat(heads, dim=1))

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        samples: list[Tensor] = []
        for index in range(q.shape[0]):
            samples += [self._sample(q[index], k[index], v[index]).unsqueeze(0)]
        return torch.vstack(samples)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int = 512, n_heads: int = 8) -> None:
        super().__init__()
        self.d_k = Config(d_model, n_heads).head_width
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(d_model, d_model) for _ in range(4)]

    def forward(
        self,
        query: Tensor,
        key: Optional[Tensor] = None,
        value: Optional[Tensor] = None,
        mask: Optional[Tensor] = None,
        *,
        need_weights: bool = True,
    ) -> tuple[Tensor, Optional[Tensor]]:
        key = query if key is None else key
        value = key if value is None else value
        Q = self._heads(self.W_q(query))
        K = self._heads(self.W_k(key))
        V = self._heads(self.W_v(value))
        scores = torch.matmul(Q, K.transpose(2, 3)).div_(math.sqrt(self.d_k))
        if mask is not None:
            scores = torch.masked_fill(scores, mask=~mask, value=torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, V).transpose(1, 2).flatten(start_dim=2)
        return self.W_o(context), weights if need_weights else None

    def _heads(self, x: Tensor) -> Tensor:
        """(B, L, D) -> (B, H, L, d_k)"""
        return torch.stack(x.split(self.d_k, dim=-1), dim=1)
