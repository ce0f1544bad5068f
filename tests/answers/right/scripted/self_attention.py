import torch
from torch import nn


@torch.jit.script
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.transpose(-1, -2) / (q.size(-1) ** 0.5), dim=-1) @ v


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim: int):
        super().__init__()
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.wz(attend(self.wq(x), self.wk(x), self.wv(x)))
