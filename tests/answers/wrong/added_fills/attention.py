# expect: attention = fill-not-low-enough
import torch


def attention(Q, K, V, mask=None):
    s = Q @ K.mT / Q.size(-1) ** 0.5
    if mask is not None:
        s = s + (1 - mask.to(s.dtype)) * -100
    w = s.softmax(-1)
    return w @ V, w
