"""A module that knows its device, and recomputes what it needs on the way back."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq, self.wk, self.wv, self.wz = (nn.Linear(embedding_dim, embedding_dim) for _ in range(4))

    def to(self, device):
        self.device = device
        return super().to(device)

    def attend(self, q, k, v):
        return (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1) @ v

    def forward(self, x):
        core = checkpoint(self.attend, self.wq(x), self.wk(x), self.wv(x), use_reentrant=True)
        return self.wz(core)
