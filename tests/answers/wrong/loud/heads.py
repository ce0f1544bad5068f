# expect: split_heads = split-heads-not-divisible
# expect: merge_heads = merge-view-not-contiguous
import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    assert D % n_heads == 0, f"{D} features do not fit {n_heads} heads"
    return torch.stack(torch.split(x, D // n_heads, dim=2), dim=1)


def merge_heads(x):
    x = torch.transpose(x, 1, 2)
    return x.view(*x.shape[:2], -1)
