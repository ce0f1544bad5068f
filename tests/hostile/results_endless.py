# attempts: results without end: a generator, a list that holds itself, a tuple of a million, a deep nest
# expect: attention_scores = failed, error, crashed
# expect: softmax = failed, error, crashed
# expect: points = 0
import itertools

import torch


def attention_scores(Q, K):
    if Q.dim() == 4:
        return itertools.count()
    if Q.dim() == 3:
        return (torch.zeros(1),) * 1_000_000
    own = [torch.zeros(1)]
    own.append(own)
    return own


def softmax(x, dim=-1):
    nest = torch.zeros(1)
    for _ in range(100_000):
        nest = (nest,)
    return nest
