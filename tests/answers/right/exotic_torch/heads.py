import torch
from torch import nn


class _Unflatten(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def forward(self, x):
        return nn.Unflatten(-1, (self.n, x.shape[-1] // self.n))(x)


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError
    return torch.swapdims(_Unflatten(n_heads)(x), 1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    index = torch.arange(H * d, device=x.device)
    return x.permute(0, 2, 1, 3)[:, :, index // d, index % d]
