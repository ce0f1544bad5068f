import torch
from torch import nn


def rotate_nothing(x):
    return x


def repeat_kv(x, n_rep=1):
    B, H, S, d = x.shape
    if n_rep == 1:
        return x
    return x[:, :, None].expand(B, H, n_rep, S, d).reshape(B, H * n_rep, S, d)


def eager_attention_forward(module, query, key, value, attention_mask, scaling, dropout=0.0):
    key_states, value_states = repeat_kv(key), repeat_kv(value)
    attn_weights = torch.matmul(query, key_states.transpose(2, 3)) * scaling
    if attention_mask is not None:
        bias = torch.zeros_like(attention_mask, dtype=query.dtype)
        bias = bias.masked_fill(~attention_mask, -1e9)
        attn_weights = attn_weights + bias[:, :, :, : key_states.shape[-2]]
    attn_weights = nn.functional.softmax(attn_weights, dim=-1)
    attn_weights = nn.functional.dropout(attn_weights, p=dropout, training=module.training)
    attn_output = torch.matmul(attn_weights, value_states)
    return attn_output.transpose(1, 2).contiguous(), attn_weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"hidden_size {d_model} is not a multiple of the number of heads {n_heads}")
        self.head_dim = d_model // n_heads
        self.scaling = self.head_dim**-0.5
        self.attention_dropout = dropout
        self.is_causal = False
        self.W_q = nn.Linear(d_model, n_heads * self.head_dim)
        self.W_k = nn.Linear(d_model, n_heads * self.head_dim)
        self.W_v = nn.Linear(d_model, n_heads * self.head_dim)
        self.W_o = nn.Linear(n_heads * self.head_dim, d_model)

    def forward(self, query, key, value, mask=None, **kwargs):
        input_shape = query.shape[:-1]
        q = self.W_q(query).view(*input_shape, -1, self.head_dim).transpose(1, 2)
        k = self.W_k(key).view(*key.shape[:-1], -1, self.head_dim).transpose(1, 2)
        v = self.W_v(value).view(*value.shape[:-1], -1, self.head_dim).transpose(1, 2)
        dropout = 0.0 if not self.training else self.attention_dropout
        out, weights = eager_attention_forward(self, q, k, v, mask, self.scaling, dropout)
        return self.W_o(out.reshape(*input_shape, -1).contiguous()), weights
