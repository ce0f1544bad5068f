# expect: SelfAttention = projection-bias-forgotten
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq = nn.Linear(embedding_dim, embedding_dim, bias=False)
        self.wk = nn.Linear(embedding_dim, embedding_dim, bias=False)
        self.wv = nn.Linear(embedding_dim, embedding_dim, bias=False)
        self.wz = nn.Linear(embedding_dim, embedding_dim)
        self.register_buffer("scale", torch.tensor(embedding_dim ** -0.5))

    def forward(self, x):
        return self.wz(torch.softmax(self.wq(x) @ self.wk(x).mT * self.scale, -1) @ self.wv(x))
