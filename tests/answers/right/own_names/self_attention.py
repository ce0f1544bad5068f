from torch import nn
from attention import scaled_dot_product_attention


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        z, _ = scaled_dot_product_attention(self.wq(x), self.wk(x), self.wv(x))
        return self.wz(z)
