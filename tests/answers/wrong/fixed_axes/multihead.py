# expect: LoopMultiHeadAttention = heads-in-python-list
# expect: MultiHeadAttention = one-projection-shared-by-heads
import torch
from torch import nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads:
            raise ValueError
        d = embedding_dim // num_heads
        self.wq = [nn.Linear(embedding_dim, d) for _ in range(num_heads)]
        self.wk = [nn.Linear(embedding_dim, d) for _ in range(num_heads)]
        self.wv = [nn.Linear(embedding_dim, d) for _ in range(num_heads)]
        self.wz = nn.Linear(embedding_dim, embedding_dim)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("scale", torch.tensor(d ** -0.5))

    def forward(self, q, k, v):
        out = []
        for b in range(len(q)):
            heads = []
            for wq, wk, wv in zip(self.wq, self.wk, self.wv):
                w = torch.softmax(wq(q[b]) @ wk(k[b]).T * self.scale, -1)
                heads.append(w @ wv(v[b]))
            out.append(torch.cat(heads, -1))
        return self.wz(torch.stack(out))


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_size, heads):
        super().__init__()
        self.embed_size = embed_size
        self.heads = heads
        self.head_dim = embed_size // heads
        if self.head_dim * heads != embed_size:
            raise ValueError("Embedding size needs to be divisible by heads")
        self.W_v = nn.Linear(self.head_dim, self.head_dim)
        self.W_k = nn.Linear(self.head_dim, self.head_dim)
        self.W_q = nn.Linear(self.head_dim, self.head_dim)
        self.W_o = nn.Linear(heads * self.head_dim, embed_size)

    def forward(self, query, keys, values, mask=None):
        N = query.shape[0]
        value_len, key_len, query_len = values.shape[1], keys.shape[1], query.shape[1]
        values = self.W_v(values.reshape(N, value_len, self.heads, self.head_dim))
        keys = self.W_k(keys.reshape(N, key_len, self.heads, self.head_dim))
        queries = self.W_q(query.reshape(N, query_len, self.heads, self.head_dim))
        energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys])
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy / (self.head_dim ** (1 / 2)), dim=3)
        out = torch.einsum("nhql,nlhd->nqhd", [attention, values]).reshape(N, query_len, self.heads * self.head_dim)
        return self.W_o(out), attention
