# expect: SelfAttention = scale-missing + missing-output-projection
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
        return torch.bmm(torch.bmm(self.wq(x), self.wk(x).transpose(1, 2)).softmax(2), self.wv(x))
