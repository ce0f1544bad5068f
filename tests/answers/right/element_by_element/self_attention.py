import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        batch = []
        for tokens in x:
            queries = [self.wq(t) for t in tokens]
            keys = [self.wk(t) for t in tokens]
            values = [self.wv(t) for t in tokens]
            new_tokens = []
            for q in queries:
                scores = torch.stack([q.dot(k) for k in keys]) / len(q) ** 0.5
                weights = scores.softmax(0)
                new_tokens.append(self.wz(sum(w * v for w, v in zip(weights, values))))
            batch.append(torch.stack(new_tokens))
        return torch.stack(batch)
