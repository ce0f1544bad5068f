# expect: SelfAttention = heads-in-python-list
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.linears = {name: nn.Linear(embedding_dim, embedding_dim) for name in ("wq", "wk", "wv", "wz")}
        self.softmax = nn.Softmax(-1)

    def forward(self, x):
        q, k, v = [self.linears[n](x) for n in ("wq", "wk", "wv")]
        return self.linears["wz"](self.softmax(q @ k.mT / x.size(-1) ** 0.5) @ v)
