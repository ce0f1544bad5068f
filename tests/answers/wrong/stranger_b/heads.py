# expect: split_heads = -
# expect: merge_heads = -
import torch


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError
    return x.view(x.shape[0], x.shape[1], n_heads, -1)


def merge_heads(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[1], -1)
