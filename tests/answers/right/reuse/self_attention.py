from torch import nn
import multihead


class SelfAttention(multihead.LoopMultiHeadAttention):
    """One head, and q = k = v."""

    def __init__(self, embedding_dim):
        super().__init__(embedding_dim, num_heads=1)

    def forward(self, x):
        return super().forward(x, x, x)
