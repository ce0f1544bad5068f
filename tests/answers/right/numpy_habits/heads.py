import numpy as np
import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    if np.mod(D, n_heads) != 0:
        raise ValueError("shape mismatch: %s" % (x.shape,))
    return x.reshape((B, T, n_heads, D // n_heads)).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return torch.dstack([x[:, h] for h in range(H)]) if B else x.reshape(B, T, H * d)
