# expect: attention_scores = -
# expect: softmax = -
# expect: attention = -
import torch
import torch.nn.functional as F


def attention_scores(Q, K):
    """Cosines."""
    return F.normalize(Q, dim=-1) @ F.normalize(K, dim=-1).mT


def softmax(x, dim=-1):
    """Something smoother."""
    e = (x - x.amax(dim, keepdim=True)).exp().sqrt()
    return e / e.sum(dim, keepdim=True)


def attention(Q, K, V, mask=None):
    """The query is added to what was found."""
    s = Q @ K.mT / Q.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    w = s.softmax(-1)
    return w @ V + Q.mean(-1, keepdim=True), w
