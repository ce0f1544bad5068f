# expect: SelfAttention = value-uses-key-projection + softmax-over-queries
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        for name in ("wq", "wk", "wv", "wz"):
            setattr(self, name, nn.Linear(embedding_dim, embedding_dim))

    def forward(self, x):
        q, k = self.wq(x), self.wk(x)
        s = torch.einsum("bij,bkj->bik", q, k) / x.size(-1) ** 0.5
        return self.wz(torch.einsum("bij,bjk->bik", nn.Softmax(dim=1)(s), k))
