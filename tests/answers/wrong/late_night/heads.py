# expect: split_heads = split-strided-features
# expect: merge_heads = merge-strided-features
import torch


def split_heads(x, n_heads):
    if x.shape[2] % n_heads != 0:
        raise ValueError("x.shape[2] % n_heads")
    return torch.stack([x[:, :, h::n_heads] for h in range(n_heads)], dim=1)


def merge_heads(x):
    B, H, T, d = x.shape
    return torch.stack([x[:, h] for h in range(H)], dim=-1).reshape(B, T, d * H)
