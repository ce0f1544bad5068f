from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn


class SelfAttention(nn.Module):
    wq: nn.Linear
    wk: nn.Linear
    wv: nn.Linear
    wz: nn.Linear
    names: ClassVar[tuple[str, ...]] = ("wq", "wk", "wv", "wz")

    def __init__(self, embedding_dim: int, *, bias: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.embedding_dim = embedding_dim
        self.wq = nn.Linear(in_features=embedding_dim, out_features=embedding_dim, bias=bias)
        self.wk = nn.Linear(in_features=embedding_dim, out_features=embedding_dim, bias=bias)
        self.wv = nn.Linear(in_features=embedding_dim, out_features=embedding_dim, bias=bias)
        self.wz = nn.Linear(in_features=embedding_dim, out_features=embedding_dim, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for name, parameter in self.named_parameters():
            if name.endswith("weight"):
                nn.init.kaiming_uniform_(parameter)

    def extra_repr(self) -> str:
        return f"embedding_dim={self.embedding_dim}"

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.embedding_dim:
            raise ValueError(f"width {x.size(-1)}")
        Q: Tensor = self.wq(x)
        K: Tensor = self.wk(x)
        V: Tensor = self.wv(x)
        scores: Tensor = Q @ K.transpose(dim0=-2, dim1=-1) / self.embedding_dim**0.5
        del Q, K
        weights: Tensor = nn.functional.softmax(input=scores, dim=-1)
        del scores
        return self.wz.forward(weights @ V)
