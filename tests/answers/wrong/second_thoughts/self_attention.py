# expect: SelfAttention = weights-transposed-before-v
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
        w = torch.softmax(self.wq(x) @ self.wk(x).mT / x.size(-1) ** 0.5, dim=2)
        z = torch.zeros_like(x)
        for t in range(x.size(1)):
            z = z + w[:, t, :].unsqueeze(-1) * self.wv(x)[:, t : t + 1]
        return self.wz(z)
