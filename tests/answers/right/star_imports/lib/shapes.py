from .tools import *


def apart(x, n):
    if x.size(2) % n:
        raise ValueError(f"{x.size(2)} features for {n} heads")
    return x.reshape(x.size(0), x.size(1), n, -1).transpose(1, 2)


def together(x):
    return x.transpose(1, 2).reshape(x.size(0), x.size(2), -1)
