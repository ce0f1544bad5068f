import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    if D % n_heads != 0:
        raise ValueError("D % n_heads")
    d_k = D // n_heads
    out = x.new_zeros(B, n_heads, T, d_k)
    for b in range(B):
        for h in range(n_heads):
            for t in range(T):
                for i in range(d_k):
                    out[b, h, t, i] = x[b, t, h * d_k + i]
    return out


def merge_heads(x):
    B, H, T, d_k = x.shape
    out = x.new_empty((B, T, H * d_k))
    for b in range(B):
        for t in range(T):
            out[b, t] = torch.cat([x[b, h, t] for h in range(H)])
    return out
