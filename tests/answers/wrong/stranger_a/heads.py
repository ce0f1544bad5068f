# expect: split_heads = -
# expect: merge_heads = -
import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    if D % n_heads:
        raise TypeError("heads must divide D")
    return x.view(B, T, n_heads, -1).transpose(1, 2)


def merge_heads(x):
    out = torch.zeros(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
    for h in range(x.shape[1]):
        out[:, :, h * x.shape[3] : (h + 1) * x.shape[3]] = x[:, h]
    return out
