import torch


def split_heads(x, n_heads):
    *lead, features = x.shape
    if n_heads < 1 or features % n_heads:
        raise ValueError(f"n_heads={n_heads} must divide {features}")
    d_k = features // n_heads
    strides = x.stride()
    # a view with an axis more, whatever the order in memory
    return torch.as_strided(
        x,
        (lead[0], n_heads, lead[1], d_k),
        (strides[0], d_k * strides[2], strides[1], strides[2]),
        x.storage_offset(),
    )


def merge_heads(x):
    B, H, T, d_k = x.shape
    out = torch.empty(B, T, H, d_k, dtype=x.dtype, device=x.device)
    out.copy_(x.transpose(1, 2))
    return out.view(B, T, -1)
