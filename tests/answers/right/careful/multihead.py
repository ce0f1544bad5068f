import math
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        head_dim = embedding_dim // num_heads
        if head_dim * num_heads != embedding_dim:
            raise ValueError("embedding_dim must be divisible by num_heads")
        self.num_heads, self.head_dim = num_heads, head_dim
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        B, T, D = q.shape
        Q, K, V = self.wq(q), self.wk(k), self.wv(v)
        context = torch.zeros(B, T, D, dtype=Q.dtype, device=Q.device)
        i = 0
        while i < B:
            j = 0
            while j < self.num_heads:
                span = slice(j * self.head_dim, (j + 1) * self.head_dim)
                logits = Q[i, :, span] @ K[i, :, span].transpose(0, 1)
                logits = logits - logits.max(dim=1, keepdim=True).values
                logits = logits / math.sqrt(self.head_dim)
                probs = logits.exp()
                probs = probs / probs.sum(dim=1, keepdim=True)
                context[i, :, span] += probs @ V[i, :, span]
                j += 1
            i += 1
        return self.wz(context)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, attn_dropout=0.2, max_len=64):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model ({d_model}) must be divisible by n_heads ({n_heads})")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.register_buffer("causal", torch.tril(torch.ones(max_len, max_len)).view(1, 1, max_len, max_len))
        self.register_buffer("scale", torch.tensor(math.sqrt(self.d_k)))
        self.attn_dropout = nn.Dropout(attn_dropout)

    def forward(self, query, key, value, mask=None):
        if query.dim() != 3:
            raise TypeError("batch first, please")
        if mask is not None and mask.dtype != torch.bool:
            warnings.warn("mask is converted to bool")
            mask = mask.bool()
        B, T, _ = query.size()
        S = key.size(1)
        q = self.W_q(query).view(B, T, self.n_heads, self.d_k).permute(0, 2, 1, 3)
        k = self.W_k(key).view(B, S, self.n_heads, self.d_k).permute(0, 2, 3, 1)  # already transposed
        v = self.W_v(value).view(B, S, self.n_heads, self.d_k).permute(0, 2, 1, 3)
        energy = torch.matmul(q, k) / self.scale
        if mask is not None:
            keep = mask.expand(B, self.n_heads, T, S)
            alive = keep.any(dim=-1, keepdim=True)
            energy = energy.masked_fill(~(keep | ~alive), float("-inf"))
            attention = torch.softmax(energy, dim=-1) * alive
        else:
            attention = torch.softmax(energy, dim=-1)
        x = torch.matmul(self.attn_dropout(attention), v)
        x = x.permute(0, 2, 1, 3).contiguous().view(B, -1, self.d_model)
        return self.W_o(x), attention
