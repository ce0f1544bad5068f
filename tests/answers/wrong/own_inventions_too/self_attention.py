# expect: SelfAttention = -
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)
        self.memory = None

    def forward(self, x):
        if self.memory is None:
            self.memory = self.wk(x)
        w = torch.softmax(self.wq(x) @ self.memory.mT / x.size(-1) ** 0.5, -1)
        return self.wz(w @ self.wv(x)), w
