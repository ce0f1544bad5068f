from math import *
from torch import *
from torch.nn.functional import *
from lib.tools import *


def attention_scores(Q, K):
    return matmul(Q, K.transpose(-1, -2)).div(tensor(Q.shape[-1]).sqrt().item())


def softmax(x, dim=-1):
    return normalised(stable(x, dim), dim)


def attention(Q, K, V, mask=None):
    s = attention_scores(Q, K)
    if mask is not None:
        s = where(mask, s, full_like(s, finfo(s.dtype).min))
    w = softmax(s)
    return matmul(w, V), w
