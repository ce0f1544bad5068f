from math import sqrt
from torch.nn import *
import attention as att


class SelfAttention(Module):
    def __init__(self, embedding_dim):
        Module.__init__(self)
        self.wq = Linear(embedding_dim, embedding_dim)
        self.wk = Linear(embedding_dim, embedding_dim)
        self.wv = Linear(embedding_dim, embedding_dim)
        self.wz = Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        z, _ = att.attention(self.wq(x), self.wk(x), self.wv(x))
        return self.wz(z)
