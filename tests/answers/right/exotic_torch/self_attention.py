import torch
from torch import nn
from torch.nn.utils import parameters_to_vector


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        layers = {name: nn.Linear(embedding_dim, embedding_dim) for name in ("wq", "wk", "wv", "wz")}
        for name, layer in layers.items():
            self.register_module(name, layer)
        self.size = parameters_to_vector(self.parameters()).numel()
        self.bias = nn.Parameter(torch.zeros(1), requires_grad=False)
        self.norm = nn.LayerNorm(embedding_dim)

    def forward(self, x):
        one = torch.func.vmap(self.one_sample)
        return self.wz(one(self.wq(x), self.wk(x), self.wv(x)))

    @staticmethod
    def one_sample(q, k, v):
        return torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1) @ v
