import math
import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim: int):
        super().__init__()
        self.dim = embedding_dim
        for name in ("wq", "wk", "wv", "wz"):
            setattr(self, name, nn.Linear(self.dim, self.dim, bias=True))

    def forward(self, x: torch.Tensor):
        bsz, seqlen, _ = x.shape
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        scores = torch.matmul(xq, xk.transpose(1, 2)) / math.sqrt(self.dim)
        scores = F.softmax(scores.float(), dim=-1).type_as(xq)
        return self.wz(torch.matmul(scores, xv).contiguous().view(bsz, seqlen, -1))
