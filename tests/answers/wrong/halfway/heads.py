# expect: split_heads = split-heads-first + split-heads-not-divisible
# expect: merge_heads = merge-sums-heads
import torch


def split_heads(x, n_heads):
    d_k = x.size(-1) // n_heads
    return x.view(x.size(0), x.size(1), n_heads, d_k).permute(2, 0, 1, 3)


def merge_heads(x):
    merged = x[:, 0]
    for h in range(1, x.size(1)):
        merged = torch.maximum(merged, x[:, h])
    return merged
