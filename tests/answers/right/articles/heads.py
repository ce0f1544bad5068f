import torch


def split_heads(x, n_heads):
    batch_size, seq_length, d_model = x.size()
    if d_model % n_heads != 0:
        raise ValueError("d_model must be divisible by n_heads")
    d_k = d_model // n_heads
    return x.view(batch_size, seq_length, n_heads, d_k).transpose(1, 2)


def merge_heads(x):
    batch_size, _, seq_length, d_k = x.size()
    return x.transpose(1, 2).contiguous().view(batch_size, seq_length, x.size(1) * d_k)
