from __future__ import annotations

import torch


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """(B, T, D) -> (B, H, T, d_k)"""
    if x.ndim != 3:
        raise TypeError(f"three axes expected, got {x.ndim}")
    B, T, D = tuple(x.shape)
    if (remainder := D % n_heads) != 0:
        raise ValueError(f"{D} = {D // n_heads} * {n_heads} + {remainder}")
    out = torch.permute(torch.reshape(x, (B, T, n_heads, D // n_heads)), (0, 2, 1, 3))
    assert out.shape == torch.Size([B, n_heads, T, D // n_heads])
    return out


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """(B, H, T, d_k) -> (B, T, D)"""
    assert x.ndim == 4
    return torch.flatten(torch.permute(x, (0, 2, 1, 3)), start_dim=-2, end_dim=-1)
