# attempts: results whose attributes raise, exit or never come
# expect: attention_scores = failed, error, crashed
# expect: softmax = failed, error, crashed, timeout
# expect: points = 0
import os

import torch


class Raising(torch.Tensor):
    @property
    def shape(self):
        raise RuntimeError("no shape")

    @property
    def dtype(self):
        raise SystemExit(0)

    @property
    def __class__(self):
        raise KeyboardInterrupt


class Leaving(tuple):
    def __len__(self):
        os._exit(0)

    def __iter__(self):
        os._exit(0)

    def __getitem__(self, index):
        os._exit(0)


def attention_scores(Q, K):
    return torch.zeros(1).as_subclass(Raising)


def softmax(x, dim=-1):
    return Leaving((x, x))
