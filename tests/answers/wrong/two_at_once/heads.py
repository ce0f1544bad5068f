# expect: split_heads = split-view-only + split-heads-not-divisible
import torch


def split_heads(x, n_heads):
    batch, tokens, width = x.shape
    return x.reshape(batch, n_heads, tokens, width // n_heads)
