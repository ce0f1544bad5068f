# expect: SelfAttention = softmax-over-everything + scale-missing
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
        s = torch.einsum("btd,bsd->bts", self.wq(x), self.wk(x))
        e = (s - s.max()).exp()
        return self.wz(torch.einsum("bts,bsd->btd", e / e.sum(), self.wv(x)))
