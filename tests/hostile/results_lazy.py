# attempts: a result that computes only when it is looked at, and only as much as it must
# expect: attention_scores = failed, error
# expect: points = 0
import torch


class Lazy:
    def __init__(self, compute):
        self.compute = compute

    def __getattr__(self, name):
        return getattr(self.compute(), name)

    def __array__(self, dtype=None):
        return self.compute().numpy()

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        args = [arg.compute() if isinstance(arg, Lazy) else arg for arg in args]
        return func(*args, **(kwargs or {}))


def attention_scores(Q, K):
    return Lazy(lambda: torch.matmul(Q, K.mT) / Q.size(-1) ** 0.5)
