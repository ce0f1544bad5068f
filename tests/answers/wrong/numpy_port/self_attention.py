# expect: SelfAttention = weight-not-transposed
import numpy as np
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
        q = torch.matmul(x, self.wq.weight) + self.wq.bias
        k = torch.matmul(x, self.wk.weight) + self.wk.bias
        v = torch.matmul(x, self.wv.weight) + self.wv.bias
        s = torch.matmul(q, k.mT) / np.sqrt(x.shape[-1])
        w = torch.softmax(s, -1)
        return torch.matmul(w @ v, self.wz.weight) + self.wz.bias
