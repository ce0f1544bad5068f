# expect: split_heads = split-folded-into-batch
# expect: merge_heads = merge-view-not-contiguous
import torch


def split_heads(x, n_heads):
    batch_size, _, dim = x.shape
    if dim % n_heads:
        raise ValueError("dim_per_head")
    dim_per_head = dim // n_heads
    x = x.contiguous().view(batch_size * n_heads, -1, dim_per_head)
    return x.view(batch_size, n_heads, -1, dim_per_head)


def merge_heads(x):
    n_batch, n_heads, n_tokens, d_k = x.size()
    return x.permute(0, 2, 1, 3).view(n_batch, n_tokens, n_heads * d_k)
