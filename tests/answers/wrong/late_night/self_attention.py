# expect: SelfAttention = value-uses-key-projection
import math
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        queries = self.wq(x)
        keys = self.wk(x)
        values = self.wk(x)
        energy = torch.einsum("nqd,nkd->nqk", queries, keys)
        attention = torch.softmax(energy / (x.shape[2] ** (1 / 2)), dim=2)
        out = torch.einsum("nqk,nkd->nqd", attention, values)
        return self.wz(out)
