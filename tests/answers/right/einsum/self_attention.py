import torch
from torch import nn, einsum


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.scale = embedding_dim ** -0.5
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        q = einsum("btd,ed->bte", x, self.wq.weight) + self.wq.bias
        k = einsum("btd,ed->bte", x, self.wk.weight) + self.wk.bias
        v = einsum("btd,ed->bte", x, self.wv.weight) + self.wv.bias
        a = (einsum("bie,bje->bij", q, k) * self.scale).softmax(2)
        return einsum("bij,bje,oe->bio", a, v, self.wz.weight) + self.wz.bias
