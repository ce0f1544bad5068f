import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    d_k, rest = divmod(D, n_heads)
    if rest:
        raise ValueError("cannot split %d features into %d heads" % (D, n_heads))
    # (B*T, H, d_k), then to the heads
    folded = x.reshape(B * T, n_heads, d_k)
    return folded.view(B, T, n_heads, d_k).permute(0, 2, 1, 3)


def merge_heads(x):
    B, H, T, d_k = x.shape
    return x.swapaxes(1, 2).contiguous().reshape(B * T, H * d_k).view(B, T, -1)
