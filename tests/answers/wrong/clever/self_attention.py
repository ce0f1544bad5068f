# expect: SelfAttention = attends-over-batch
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq, self.wk, self.wv, self.wz = (nn.Linear(embedding_dim, embedding_dim) for _ in range(4))

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        w = torch.einsum("lbd,mbd->blm", q, k).div(x.size(-1) ** 0.5).softmax(-1)
        return self.wz(torch.einsum("blm,mbd->lbd", w, v))
