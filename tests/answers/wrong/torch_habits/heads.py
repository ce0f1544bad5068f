# expect: split_heads = split-heads-first
# expect: merge_heads = merge-strided-features
import torch


def split_heads(x, n_heads):
    if x.size(-1) % n_heads:
        raise ValueError("h")
    return torch.einsum("bthd->hbtd", x.unflatten(-1, (n_heads, -1)))


def merge_heads(x):
    return torch.einsum("bhtd->btdh", x).flatten(-2)
