# expect: LoopMultiHeadAttention = softmax-no-max-subtraction
# expect: MultiHeadAttention = mask-after-softmax
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        self.n, self.d = num_heads, embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        out = []
        for Q, K, V in zip(self.wq(q), self.wk(k), self.wv(v)):
            z = torch.empty_like(Q)
            for h in range(self.n):
                own = slice(h * self.d, (h + 1) * self.d)
                e = torch.exp(Q[:, own] @ K[:, own].T * self.d ** -0.5)
                z[:, own] = e @ V[:, own] / e.sum(dim=1, keepdim=True)
            out.append(z)
        return self.wz(torch.stack(out))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            layer(x).unflatten(-1, (self.n, -1)).permute(0, 2, 1, 3)
            for layer, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value))
        )
        p = torch.softmax(torch.matmul(q, k.permute(0, 1, 3, 2)) / q.shape[-1] ** 0.5, dim=-1)
        if mask is not None:
            p = torch.where(mask, p, torch.zeros_like(p))
        return self.W_o(torch.matmul(p, v).permute(0, 2, 1, 3).flatten(2)), p
