import torch

__all__ = ["normalised", "stable"]


def stable(x, dim):
    return (x - x.amax(dim, keepdim=True)).exp()


def normalised(e, dim):
    return e / e.sum(dim, keepdim=True)
