import torch as th
from torch.nn import Linear, Module


class LoopMultiHeadAttention(Module):
    def __init__(self, n, h):
        super().__init__()
        if n % h: raise ValueError
        self.h = h
        self.wq, self.wk, self.wv, self.wz = (Linear(n, n) for _ in "qkvz")

    def forward(self, *qkv):
        per_head = lambda w, x: w(x).split(w.out_features // self.h, dim=-1)
        one = lambda q, k, v: th.softmax(q @ k.T / k.shape[1] ** 0.5, 1) @ v
        heads = zip(*(per_head(w, x) for w, x in zip((self.wq, self.wk, self.wv), qkv)))
        return self.wz(th.cat([th.stack([one(*s) for s in zip(*head)]) for head in heads], -1))


class MultiHeadAttention(Module):
    def __init__(self, n, h):
        super().__init__()
        if n % h: raise ValueError(f"{n=} {h=}")
        self.h = h
        self.W_q, self.W_k, self.W_v, self.W_o = (Linear(n, n) for _ in "qkvo")

    def forward(self, q, k, v, mask=None):
        q, k, v = (w(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for w, x in ((self.W_q, q), (self.W_k, k), (self.W_v, v)))
        s = q @ k.mT / q.size(-1) ** 0.5
        a = (s if mask is None else s.where(mask, -1e30)).softmax(-1)
        return self.W_o((a @ v).transpose(1, 2).flatten(2)), a
