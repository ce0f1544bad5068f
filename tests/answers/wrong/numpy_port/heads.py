# expect: split_heads = split-heads-not-divisible
# expect: merge_heads = merge-sums-heads
import numpy as np
import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    d = int(D / n_heads)
    return x.reshape(B, T, n_heads, d).swapaxes(1, 2)


def merge_heads(x):
    return x.mean(axis=1)
