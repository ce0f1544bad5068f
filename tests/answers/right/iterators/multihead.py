from itertools import product
import torch
from torch import nn


def LoopMultiHeadAttention(embedding_dim, num_heads):
    """A function that makes the module."""
    if embedding_dim % num_heads:
        raise ValueError("these heads do not fit")
    return _Loop(embedding_dim, num_heads)


class _Loop(nn.Module):
    def __init__(self, D, H):
        super().__init__()
        self.d, self.H = D // H, H
        self.wq, self.wk, self.wv, self.wz = map(nn.Linear, [D] * 4, [D] * 4)

    def forward(self, q, k, v):
        Q, K, V = (x.transpose(0, 1) for x in (self.wq(q), self.wk(k), self.wv(v)))  # (T, B, D)
        out = Q.new_zeros(Q.shape)
        for b, h in product(range(Q.shape[1]), range(self.H)):
            sl = (slice(None), b, slice(self.d * h, self.d * h + self.d))
            w = (Q[sl] @ K[sl].T * self.d ** -0.5).softmax(-1)
            out[sl] = w @ V[sl]
        return self.wz(out.transpose(0, 1))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("these heads do not fit")
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = map(nn.Linear, [d_model] * 4, [d_model] * 4)

    def forward(self, query, key, value, mask=None):
        H = self.n_heads
        # tokens first: (T, B, H, d_k), and the products over axes in their places
        q, k, v = (f(x).transpose(0, 1).unflatten(-1, (H, -1)) for f, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value)))
        scores = (q.unsqueeze(1) * k.unsqueeze(0)).sum(-1).permute(2, 3, 0, 1) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores + torch.where(mask, 0.0, -1e30).to(scores.dtype)
        weights = torch.softmax(scores, dim=3)
        z = torch.tensordot(weights.flatten(0, 1).flatten(0, 1), torch.eye(key.shape[1], dtype=v.dtype, device=v.device), dims=1)
        z = z.view_as(weights) @ v.permute(1, 2, 0, 3)
        return self.W_o(z.transpose(1, 2).flatten(2)), weights
