# expect: split_heads = -
# expect: merge_heads = -
import torch


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError
    return torch.stack(x.chunk(n_heads, -1)[::-1], 1)


def merge_heads(x):
    return torch.cat(x.unbind(1)[::-1], -1)
