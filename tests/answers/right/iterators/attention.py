import math
from functools import reduce
from itertools import accumulate, repeat
from operator import add, itemgetter, truediv

import torch


def attention_scores(Q, K):
    columns = map(lambda k: (Q * k.unsqueeze(-2)).sum(-1), K.unbind(-2))
    return torch.stack(tuple(columns), dim=-1).mul(math.pow(Q.shape[-1], -0.5))


def softmax(x, dim=-1):
    *_, top = accumulate(x.unbind(dim), torch.maximum)
    e = [(s - top).exp() for s in x.unbind(dim)]
    return torch.stack(list(map(truediv, e, repeat(reduce(add, e)))), dim)


def rows(Q, K, V, mask):
    for t in range(Q.shape[-2]):
        scores = attention_scores(Q[..., t : t + 1, :], K).squeeze(-2)
        if mask is not None:
            here = mask[..., t, :] if mask.shape[-2] > 1 else mask[..., 0, :]
            scores = torch.where(here, scores, scores.new_tensor(-1e25))
        w = softmax(scores)
        yield torch.matmul(w.unsqueeze(-2), V).squeeze(-2), w


def attention(Q, K, V, mask=None):
    everything = list(rows(Q, K, V, mask))
    return tuple(torch.stack(list(map(itemgetter(i), everything)), -2) for i in range(2))
