# attempts: results of 2**40 and 2**62 elements that take no memory until somebody copies them
# expect: attention_scores = failed, crashed
# expect: softmax = failed, crashed
# expect: attention = failed, crashed
# expect: points = 0
import torch


def attention_scores(Q, K):
    return torch.zeros(1).expand(1 << 20, 1 << 20)


def softmax(x, dim=-1):
    return torch.zeros(()).expand(1 << 62)


def attention(Q, K, V, mask=None):
    shape = (*Q.shape[:-1], V.size(-1))
    return torch.as_strided(torch.zeros(1), shape, (0,) * len(shape)), torch.empty((1 << 40, 0))
