import torch
import torch.nn as nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError("num_heads must divide embedding_dim")
        self.num_heads = num_heads
        self.depth = embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        z = torch.empty_like(q)
        for i in range(q.shape[0]):
            qi, ki, vi = self.wq(q[i]), self.wk(k[i]), self.wv(v[i])
            zi = torch.zeros_like(qi)
            for h in range(self.num_heads):
                a, b = self.depth * h, self.depth * (h + 1)
                for t in range(qi.shape[0]):
                    score = (qi[t, a:b] * ki[:, a:b]).sum(dim=1) / self.depth ** 0.5
                    score = torch.exp(score - torch.logsumexp(score, 0))
                    zi[t, a:b] = (score[:, None] * vi[:, a:b]).sum(dim=0)
            z[i] = self.wz(zi)
        return z
