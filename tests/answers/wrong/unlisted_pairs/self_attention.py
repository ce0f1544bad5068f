# expect: SelfAttention = one-projection-for-qkv
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        linear = nn.Linear(embedding_dim, embedding_dim)
        self.wq = self.wk = self.wv = linear
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        w = torch.softmax(self.wq(x) @ self.wk(x).mT * x.size(-1) ** -0.5, -1)
        return self.wz(torch.einsum("bts,bsd->btd", w, self.wv(x)))
