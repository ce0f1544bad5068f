# expect: split_heads = mask-on-wrong-device
# expect: merge_heads = merge-no-transpose
import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    if D % n_heads:
        raise ValueError
    out = torch.zeros(B, n_heads, 0, D // n_heads, dtype=x.dtype)
    for t in range(T):
        out = torch.cat([out, x[:, t].view(B, n_heads, 1, -1)], dim=2)
    return out


def merge_heads(x):
    return torch.flatten(x, start_dim=1).reshape(x.shape[0], x.shape[2], -1)
