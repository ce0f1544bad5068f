import torch


def split_heads(x, n_heads):
    B, T, D = x.shape
    if D % n_heads > 0:
        raise ValueError("n_heads does not divide D")
    d = D // n_heads
    # a selection tensor: 1 where feature D belongs to slot (h, i)
    pick = torch.eye(D, dtype=x.dtype, device=x.device).reshape(D, n_heads, d)
    return torch.einsum("btD,Dhi->bhti", x, pick)


def merge_heads(x):
    B, H, T, d = x.shape
    pick = torch.eye(H * d, dtype=x.dtype, device=x.device).reshape(H * d, H, d)
    return torch.einsum("bhti,Dhi->btD", x, pick)
