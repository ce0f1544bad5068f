# expect: attention_scores = -
# expect: softmax = -
# expect: attention = -
import torch


async def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5


def softmax(x, dim=-1):
    x -= x.max(dim, keepdim=True)[0]
    e = x.exp()
    return e / e.sum(dim, keepdim=True)


def attention(Q, K, V, mask=None):
    """The weights are right; the docstring promises more than the code holds."""
    s = Q @ K.mT / Q.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    w = s.softmax(-1)
    return w @ V
