import math
import torch
import torch.nn as nn


class Linear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) / math.sqrt(n_in))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return x @ self.weight.T + self.bias


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wz = Linear(embedding_dim, embedding_dim)
        self.wv = Linear(embedding_dim, embedding_dim)
        self.wk = Linear(embedding_dim, embedding_dim)
        self.wq = Linear(embedding_dim, embedding_dim)
        self.norm = nn.LayerNorm(embedding_dim)  # not used yet
        self.register_buffer("scale", torch.tensor(embedding_dim ** -0.5), persistent=False)

    def forward(self, x):
        scores = self.wq(x) @ self.wk(x).transpose(1, 2) * self.scale
        return self.wz(nn.functional.softmax(scores, dim=-1) @ self.wv(x))
