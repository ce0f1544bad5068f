import math
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.D = embedding_dim
        self.wq = nn.Linear(self.D, self.D)
        self.wk = nn.Linear(self.D, self.D)
        self.wv = nn.Linear(self.D, self.D)
        self.wz = nn.Linear(self.D, self.D)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        B, T, D = x.shape
        flat = x.reshape(B * T, D)
        q = torch.addmm(self.wq.bias, flat, self.wq.weight.t()).view(B, T, D)
        k = torch.addmm(self.wk.bias, flat, self.wk.weight.t()).view(B, T, D)
        v = torch.addmm(self.wv.bias, flat, self.wv.weight.t()).view(B, T, D)
        w = self.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(D))
        return self.wz(torch.bmm(w, v))
