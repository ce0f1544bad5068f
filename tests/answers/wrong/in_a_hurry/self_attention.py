# expect: SelfAttention = qk-projections-swapped
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
        k, q, v = self.wq(x), self.wk(x), self.wv(x)
        w = torch.softmax(torch.matmul(q, k.mT) / x.shape[2] ** 0.5, dim=-1)
        return self.wz(torch.matmul(w, v))
