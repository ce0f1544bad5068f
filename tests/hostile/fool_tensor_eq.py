# attempts: a Tensor.__eq__, __bool__ and shape that please whoever asks
# expect: attention_scores = failed
# expect: softmax = failed
# expect: points = 0
import torch


def yes(*args, **kwargs):
    return True


for name in ("__eq__", "__bool__", "__ge__", "__le__", "__lt__", "__gt__", "equal", "allclose"):
    setattr(torch.Tensor, name, yes)
torch.Tensor.__ne__ = lambda *args: False
torch.Tensor.all = torch.Tensor.any = lambda self, *args, **kwargs: self


def attention_scores(Q, K):
    return torch.zeros(1)


def softmax(x, dim=-1):
    return torch.zeros(1)
