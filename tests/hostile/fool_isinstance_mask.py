# attempts: an object whose __class__ says Tensor, so that isinstance believes it
# expect: attention_scores = failed, error, crashed
# expect: points = 0
import torch


class Mask:
    __class__ = torch.Tensor

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self


def attention_scores(Q, K):
    return Mask()
