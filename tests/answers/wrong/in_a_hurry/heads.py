# expect: split_heads = split-strided-features
# expect: merge_heads = merge-head-batch-swapped
import torch


def split_heads(x, n_heads):
    if x.shape[2] % n_heads:
        raise ValueError()
    return x.view(x.shape[0], x.shape[1], -1, n_heads).movedim(-1, 1)


def merge_heads(x):
    B, H, T, d = x.shape
    y = x.contiguous().view(B * H, T, d)
    return torch.cat(y.split(B), dim=-1)
