import torch


def split_heads(x, n_heads):
    return _move(x, (x.shape[0], x.shape[1], n_heads, _share(x.shape[2], n_heads)))


def merge_heads(x):
    moved = x.transpose(1, 2)
    return moved.reshape(*moved.shape[:2], moved.shape[2] * moved.shape[3])


def _move(x, shape):
    return x.reshape(shape).transpose(1, 2)


def _share(D, n_heads):
    if D % n_heads:
        raise ValueError("D must be divisible by n_heads")
    return D // n_heads
