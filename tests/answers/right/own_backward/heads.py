import torch


class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        B, T, D = x.shape
        ctx.shape = x.shape
        return x.contiguous().view(B, T, n, D // n).transpose(1, 2).contiguous()

    @staticmethod
    def backward(ctx, g):
        return g.transpose(1, 2).reshape(ctx.shape), None


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError
    return Split.apply(x, n_heads)
