import torch
from torch import nn


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError("no")
    d_k = x.shape[-1] // n_heads
    return x.unfold(2, d_k, d_k).transpose(1, 2)


def merge_heads(x):
    return nn.Flatten(2)(x.transpose(1, 2))


x = torch.arange(24.0).view(2, 3, 4)
assert torch.equal(merge_heads(split_heads(x, 2)), x)
