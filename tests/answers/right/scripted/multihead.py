import torch
from torch import nn
from torch.func import vmap


def one_head(q, k, v, mask):
    """(T, d_k), (S, d_k), (S, d_k), (T, S) -> (T, d_k), (T, S)"""
    scores = q @ k.T / q.shape[-1] ** 0.5
    scores = torch.where(mask, scores, -1e20)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


over_heads = vmap(one_head, in_dims=(1, 1, 1, 0), out_dims=(1, 0))
over_samples = vmap(over_heads)


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError("num_heads")
        self.num_heads = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        Q, K, V = (x.unflatten(-1, (self.num_heads, -1)) for x in (self.wq(q), self.wk(k), self.wv(v)))
        out = []
        for i in range(Q.shape[0]):
            z, _ = vmap(one_head, in_dims=(1, 1, 1, None), out_dims=1)(
                Q[i], K[i], V[i], torch.ones(Q.shape[1], K.shape[1], dtype=torch.bool, device=q.device)
            )
            out.append(z.flatten(1))
        return self.wz(torch.stack(out))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("n_heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        B, T, S = query.shape[0], query.shape[1], key.shape[1]
        if mask is None:
            mask = query.new_ones((B, 1, T, S), dtype=torch.bool)
        mask = mask.expand(B, self.n_heads, T, S)
        Q, K, V = (
            layer(x).unflatten(-1, (self.n_heads, -1))
            for layer, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        z, weights = over_samples(Q, K, V, mask)
        return self.W_o(z.flatten(-2)), weights
