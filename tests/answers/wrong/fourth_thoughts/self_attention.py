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
        tokens = x.reshape(-1, x.size(-1))
        q, k, v = self.wq(tokens), self.wk(tokens), self.wv(tokens)
        return torch.mm(torch.softmax(torch.mm(q, k.t()) / x.size(-1) ** 0.5, dim=1), v).view_as(x)
