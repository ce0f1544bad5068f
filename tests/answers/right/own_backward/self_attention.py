import torch
from torch import nn
from attention import attention as attend


class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, W, b):
        ctx.save_for_backward(x, W)
        return x @ W.t() + b

    @staticmethod
    def backward(ctx, g):
        x, W = ctx.saved_tensors
        flat = g.reshape(-1, g.shape[-1])
        return g @ W, flat.t() @ x.reshape(-1, x.shape[-1]), flat.sum(0)


class Dense(nn.Linear):
    def forward(self, x):
        return Affine.apply(x, self.weight, self.bias)


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq = Dense(embedding_dim, embedding_dim)
        self.wk = Dense(embedding_dim, embedding_dim)
        self.wv = Dense(embedding_dim, embedding_dim)
        self.wz = Dense(embedding_dim, embedding_dim)

    def forward(self, x):
        return self.wz(attend(self.wq(x), self.wk(x), self.wv(x))[0])
