# expect: attention_scores = scale-no-sqrt + weights-detached
# expect: softmax = softmax-global-max + softmax-over-batch
# expect: attention = softmax-over-queries + mask-after-softmax
import torch


@torch.no_grad()
def attention_scores(Q, K):
    return torch.matmul(Q, K.mT) * (1.0 / Q.size(-1))


def softmax(x, dim=-1):
    e = (x - x.max()).exp()
    return e / e.sum(0)


def attention(Q, K, V, mask=None):
    s = Q @ K.mT / Q.size(-1) ** 0.5
    w = torch.softmax(s, dim=-2)
    if mask is not None:
        w = w * mask
    return w @ V, w
