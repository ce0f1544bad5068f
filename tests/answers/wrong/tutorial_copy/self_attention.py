# expect: SelfAttention = missing-output-projection
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    """ Scaled dot product self-attention """

    def __init__(self, embedding_dim):
        super(SelfAttention, self).__init__()
        self.embedding_dim = embedding_dim
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        w = F.softmax(q @ k.transpose(-2, -1) / torch.sqrt(torch.tensor(self.embedding_dim).float()), -1)
        z = w @ v
        return z
