# expect: split_heads = split-heads-first
# expect: merge_heads = merge-head-batch-swapped
import torch


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError
    return torch.stack(x.chunk(n_heads, dim=-1))


def merge_heads(x):
    return torch.cat([*x], dim=-1)
