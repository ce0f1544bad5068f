# attempts: a Tensor subclass whose __torch_function__ answers True to every question
# expect: attention_scores = failed, error
# expect: softmax = failed, error
# expect: attention = failed, error
# expect: points = 0
import torch


class Right(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True


def attention_scores(Q, K):
    return torch.zeros(1).as_subclass(Right)


def softmax(x, dim=-1):
    return torch.zeros(1).as_subclass(Right)


def attention(Q, K, V, mask=None):
    return (torch.zeros(1).as_subclass(Right),) * 2
