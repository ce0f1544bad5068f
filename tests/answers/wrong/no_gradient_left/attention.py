# expect: attention_scores = query-scaled-in-place
# expect: softmax = weights-detached
# expect: attention = weights-detached
import torch
import torch.nn.functional as F


def attention_scores(Q, K):
    Q.mul_(Q.size(-1) ** -0.5)
    return torch.einsum("...td,...sd->...ts", Q, K)


@torch.no_grad()
def softmax(x, dim=-1):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


@torch.no_grad()
def attention(Q, K, V, mask=None):
    scores = Q @ K.mT / Q.size(-1) ** 0.5
    if mask is not None:
        scores.masked_fill_(~mask, -1e9)
    w = F.softmax(scores, -1)
    return w @ V, w
