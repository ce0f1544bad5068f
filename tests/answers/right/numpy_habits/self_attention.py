import numpy as np
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq, self.wk = nn.Linear(embedding_dim, embedding_dim), nn.Linear(embedding_dim, embedding_dim)
        self.wv, self.wz = nn.Linear(embedding_dim, embedding_dim), nn.Linear(embedding_dim, embedding_dim)
        self.temperature = np.sqrt(embedding_dim)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        s = torch.matmul(q / self.temperature, k.swapaxes(1, 2))
        w = torch.exp(s - s.amax(axis=2, keepdims=True))
        w = w / w.sum(axis=2, keepdims=True)
        return self.wz(torch.matmul(w, v))
