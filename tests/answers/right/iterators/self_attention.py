import torch
from torch import nn


class SelfAttention(nn.ModuleDict):
    def __init__(self, embedding_dim):
        super().__init__({n: nn.Linear(embedding_dim, embedding_dim) for n in ("wq", "wk", "wv", "wz")})

    def forward(self, x):
        q, k, v = (self[n](x) for n in ("wq", "wk", "wv"))
        scores = torch.cat([(q * k[:, s : s + 1]).sum(-1, keepdim=True) for s in range(k.shape[1])], dim=-1)
        weights = torch.softmax(scores / q.shape[-1] ** 0.5, -1)
        return self["wz"](sum(weights[:, :, s : s + 1] * v[:, s : s + 1] for s in range(v.shape[1])))
