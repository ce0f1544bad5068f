import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super(SelfAttention, self).__init__()
        self.embedding_dim = embedding_dim
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        q = self.wq(x)
        k = self.wk(x)
        v = self.wv(x)

        score = torch.matmul(q, k.transpose(-2, -1))
        score = score / torch.sqrt(torch.tensor(self.embedding_dim, dtype=torch.float32))
        attn = F.softmax(score, dim=-1)
        z = torch.matmul(attn, v)
        return self.wz(z)
