from math import sqrt

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wk(x)
        weights = torch.softmax(q @ k.mT / sqrt(x.size(-1)), dim=-1)
        return self.wz(weights @ v)
