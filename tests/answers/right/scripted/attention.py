import math
from typing import Optional, Tuple

import torch
from torch import Tensor


@torch.jit.script
def attention_scores(Q: Tensor, K: Tensor) -> Tensor:
    return torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(float(Q.size(-1)))


@torch.jit.script
def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


@torch.jit.script
def attention(Q: Tensor, K: Tensor, V: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(float(Q.size(-1)))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights
