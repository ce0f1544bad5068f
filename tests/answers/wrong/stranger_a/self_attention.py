# expect: SelfAttention = -
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.query = nn.Linear(embedding_dim, embedding_dim)
        self.key = nn.Linear(embedding_dim, embedding_dim)
        self.value = nn.Linear(embedding_dim, embedding_dim)
        self.out = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        w = torch.softmax(self.query(x) @ self.key(x).mT / x.size(-1) ** 0.5, -1)
        return self.out(w @ self.value(x))
