# expect: split_heads = -
# expect: merge_heads = -
import torch


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2).squeeze()


def merge_heads(x):
    return x.transpose(1, 2).flatten(2).float()
