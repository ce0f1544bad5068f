import math
import torch
from torch.autograd import Function


class _Softmax(Function):
    @staticmethod
    def forward(ctx, x, dim):
        e = torch.exp(x - x.amax(dim, keepdim=True))
        y = e / e.sum(dim, keepdim=True)
        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return y * (grad - (grad * y).sum(ctx.dim, keepdim=True)), None


class _Scores(Function):
    @staticmethod
    def forward(ctx, Q, K):
        ctx.save_for_backward(Q, K)
        return Q @ K.mT / math.sqrt(Q.shape[-1])

    @staticmethod
    def backward(ctx, grad):
        Q, K = ctx.saved_tensors
        grad = grad / math.sqrt(Q.shape[-1])
        return grad @ K, grad.mT @ Q


def attention_scores(Q, K):
    return _Scores.apply(Q, K)


def softmax(x, dim=-1):
    return _Softmax.apply(x, dim)


class _Attention(Function):
    @staticmethod
    def forward(ctx, Q, K, V, mask):
        scale = Q.shape[-1] ** -0.5
        s = (Q @ K.transpose(-2, -1)) * scale
        if mask is not None:
            s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
        w = torch.softmax(s, -1)
        ctx.save_for_backward(Q, K, V, w)
        ctx.scale = scale
        return w @ V, w

    @staticmethod
    def backward(ctx, grad_out, grad_w):
        Q, K, V, w = ctx.saved_tensors
        dV = w.transpose(-2, -1) @ grad_out
        dw = grad_out @ V.transpose(-2, -1) + grad_w
        ds = w * (dw - (dw * w).sum(-1, keepdim=True)) * ctx.scale
        return ds @ K, ds.transpose(-2, -1) @ Q, dV, None


def attention(Q, K, V, mask=None):
    return _Attention.apply(Q, K, V, mask)
