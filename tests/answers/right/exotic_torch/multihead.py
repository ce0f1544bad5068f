import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError
        self.num_heads = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        def heads():
            for sample in zip(self.wq(q), self.wk(k), self.wv(v)):
                for Q, K, V in zip(*(x.hsplit(self.num_heads) for x in sample)):
                    yield torch.softmax(Q @ K.T * Q.size(1) ** -0.5, -1) @ V

        every = list(heads())
        rows = [torch.column_stack(every[i : i + self.num_heads]) for i in range(0, len(every), self.num_heads)]
        return self.wz(torch.stack(rows))


class MultiHeadAttention(nn.Module):
    """All heads through one block-diagonal product."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        own = torch.arange(d_model) // (d_model // n_heads)
        self.register_buffer("own", own[None, :] == torch.arange(n_heads)[:, None], persistent=False)  # (H, D)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        q = q.unsqueeze(1) * self.own.unsqueeze(1)  # (B, H, T, D): zero but in the head's own features
        scores = q @ k.unsqueeze(1).mT / (q.size(-1) / self.n_heads) ** 0.5
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, -1)
        mixed = (weights @ v.unsqueeze(1)) * self.own.unsqueeze(1)
        return self.W_o(mixed.sum(1)), weights
