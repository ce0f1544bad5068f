# expect: SelfAttention = scale-no-sqrt
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.d = embedding_dim
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        scores = torch.bmm(self.wq(x), self.wk(x).transpose(1, 2)) / self.d
        return self.wz(torch.bmm(torch.softmax(scores, dim=2), self.wv(x)))
