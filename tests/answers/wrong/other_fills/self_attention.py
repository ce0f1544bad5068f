# expect: SelfAttention = attends-over-batch + missing-output-projection
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
        x = x.permute(1, 0, 2)
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        w = torch.softmax(q @ k.mT / x.size(-1) ** 0.5, -1)
        return (w @ v).permute(1, 0, 2)
