# expect: split_heads = split-view-only
# expect: merge_heads = merge-no-transpose
import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    if D % n_heads != 0:
        raise ValueError("D must be divisible by n_heads")
    return x.reshape(B, n_heads, T, D // n_heads)


def merge_heads(x):
    B, H, T, d_k = x.shape
    return x.reshape(B, T, H * d_k)
