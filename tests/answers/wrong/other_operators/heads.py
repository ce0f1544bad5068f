# expect: split_heads = split-heads-not-divisible
# expect: merge_heads = merge-no-transpose
import torch


def split_heads(x, n_heads):
    d_k = x.shape[-1] // n_heads
    heads = [x[:, :, i * d_k : (i + 1) * d_k] for i in range(n_heads)]
    return torch.stack(heads, 1)


def merge_heads(x):
    return x.flatten(1).unflatten(1, (x.shape[2], -1))
