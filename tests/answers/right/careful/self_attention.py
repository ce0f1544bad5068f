import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim, dropout=0.1):
        super().__init__()
        self.embedding_dim = embedding_dim
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)
        self.p = dropout
        self.register_buffer("max_positions", torch.tensor(1024))
        with torch.no_grad():
            for layer in (self.wq, self.wk, self.wv, self.wz):
                layer.weight.normal_(0.0, 0.02)
                layer.bias.zero_()

    def forward(self, x, return_weights=False):
        with torch.set_grad_enabled(torch.is_grad_enabled()):
            q = self.wq(x).contiguous()
            k = self.wk(x).contiguous()
            v = self.wv(x).contiguous()
        scores = torch.empty(x.size(0), x.size(1), x.size(1), dtype=x.dtype, device=x.device)
        scores = torch.baddbmm(scores, q, k.transpose(1, 2), beta=0.0, alpha=self.embedding_dim ** -0.5)
        weights = F.softmax(scores, dim=-1)
        weights = F.dropout(weights, p=self.p, training=self.training)
        z = self.wz(torch.bmm(weights, v))
        return (z, weights) if return_weights else z
