# expect: SelfAttention = einsum-index-not-shared | softmax-over-size-one
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
        w = torch.softmax(torch.einsum("btd,bsd->bts", self.wq(x), self.wk(x)) / x.size(-1) ** 0.5, -1)
        return self.wz(w.sum(-1, keepdim=True) * self.wv(x).sum(1, keepdim=True))
