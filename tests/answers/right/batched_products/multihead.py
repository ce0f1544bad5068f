import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        if embedding_dim % num_heads:
            raise ValueError("heads do not fit")
        super().__init__()
        self.n = num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        rows = []
        for b in range(q.size(0)):
            # all heads of one sequence in one batched product
            Q = torch.stack(self.wq(q[b]).chunk(self.n, dim=1))
            K = torch.stack(self.wk(k[b]).chunk(self.n, dim=1))
            V = torch.stack(self.wv(v[b]).chunk(self.n, dim=1))
            A = torch.bmm(Q, K.mT).div(math.sqrt(Q.size(2))).softmax(2)
            Z = torch.bmm(A, V)
            rows.append(torch.hstack(list(Z)))
        return self.wz(torch.stack(rows, 0))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model should be a multiple of n_heads")
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def _shape(self, tensor, bsz):
        return tensor.view(bsz, -1, self.n_heads, self.d_k).transpose(1, 2).contiguous()

    def forward(self, query, key, value, mask=None):
        bsz, tgt_len, embed_dim = query.size()
        src_len = key.size(1)
        proj_shape = (bsz * self.n_heads, -1, self.d_k)
        q = self._shape(self.W_q(query) * self.d_k ** -0.5, bsz).view(*proj_shape)
        k = self._shape(self.W_k(key), bsz).view(*proj_shape)
        v = self._shape(self.W_v(value), bsz).view(*proj_shape)
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            attn_weights = attn_weights.view(bsz, self.n_heads, tgt_len, src_len)
            attn_weights = attn_weights.masked_fill(~mask, torch.finfo(attn_weights.dtype).min)
            attn_weights = attn_weights.view(bsz * self.n_heads, tgt_len, src_len)
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_weights_reshaped = attn_weights.view(bsz, self.n_heads, tgt_len, src_len)
        attn_output = torch.bmm(attn_weights, v)
        attn_output = attn_output.view(bsz, self.n_heads, tgt_len, self.d_k).transpose(1, 2)
        attn_output = attn_output.reshape(bsz, tgt_len, embed_dim)
        return self.W_o(attn_output), attn_weights_reshaped
