# expect: LoopMultiHeadAttention = attends-over-batch
# expect: MultiHeadAttention = split-strided-features
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    """The loop runs over tokens, so that the sequences attend to each other."""

    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        tokens = []
        for t in range(q.size(1)):
            heads = []
            for Q, K, V in zip(*(f(x[:, t]).chunk(self.n, -1) for f, x in ((self.wq, q), (self.wk, k), (self.wv, v)))):
                heads.append(torch.softmax(Q @ K.T / Q.shape[-1] ** 0.5, dim=-1) @ V)
            tokens.append(self.wz(torch.cat(heads, -1)))
        return torch.stack(tokens, dim=1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def heads(self, x):
        return torch.stack([x[..., h :: self.n] for h in range(self.n)], dim=1)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.heads(self.W_q(query)), self.heads(self.W_k(key)), self.heads(self.W_v(value))
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        w = s.softmax(-1)
        return self.W_o(torch.cat((w @ v).unbind(1), dim=-1)), w
