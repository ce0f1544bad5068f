import torch as th


class SelfAttention(th.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.wq, self.wk, self.wv, self.wz = (th.nn.Linear(n, n) for _ in range(4))

    forward = lambda self, x: self.wz(((self.wq(x) @ self.wk(x).mT) / x.size(-1) ** .5).softmax(-1) @ self.wv(x))
