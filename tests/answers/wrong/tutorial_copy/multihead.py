# expect: LoopMultiHeadAttention = merge-sums-heads
# expect: MultiHeadAttention = split-folded-into-batch
import torch
import torch.nn as nn


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        if embedding_dim % num_heads != 0:
            raise ValueError("...")
        self.num_heads = num_heads
        self.dim = embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        outs = []
        for n in range(q.size(0)):
            Q, K, V = self.wq(q[n]), self.wk(k[n]), self.wv(v[n])
            z = 0
            for h in range(self.num_heads):
                sl = slice(h * self.dim, (h + 1) * self.dim)
                z = z + torch.softmax(Q[:, sl] @ K[:, sl].T / self.dim ** 0.5, -1) @ V[:, sl]
            outs.append(z)
        return self.wz(torch.stack(outs))


class MultiHeadAttention(nn.Module):
    def __init__(self, model_dim, num_heads):
        super(MultiHeadAttention, self).__init__()
        if model_dim % num_heads:
            raise ValueError("model_dim")
        self.dim_per_head = model_dim // num_heads
        self.num_heads = num_heads
        self.W_q = nn.Linear(model_dim, model_dim)
        self.W_k = nn.Linear(model_dim, model_dim)
        self.W_v = nn.Linear(model_dim, model_dim)
        self.W_o = nn.Linear(model_dim, model_dim)
        self.softmax = nn.Softmax(dim=2)

    def forward(self, query, key, value, attn_mask=None):
        dim_per_head = self.dim_per_head
        num_heads = self.num_heads
        batch_size = key.size(0)
        key = self.W_k(key)
        value = self.W_v(value)
        query = self.W_q(query)
        # split by heads
        key = key.view(batch_size * num_heads, -1, dim_per_head)
        value = value.view(batch_size * num_heads, -1, dim_per_head)
        query = query.view(batch_size * num_heads, -1, dim_per_head)
        attention = torch.bmm(query, key.transpose(1, 2)) * dim_per_head ** -0.5
        if attn_mask is not None:
            attn_mask = attn_mask.expand(-1, num_heads, -1, -1).reshape(batch_size * num_heads, query.size(1), -1)
            attention = attention.masked_fill_(~attn_mask, -1e9)
        attention = self.softmax(attention)
        context = torch.bmm(attention, value)
        # concat heads
        context = context.view(batch_size, num_heads, -1, dim_per_head).transpose(1, 2)
        context = context.reshape(batch_size, -1, dim_per_head * num_heads)
        output = self.W_o(context)
        return output, attention.view(batch_size, num_heads, query.size(1), -1)
