# expect: attention_scores = scale-inverted + weights-detached
# expect: softmax = softmax-no-max-subtraction + weights-detached
# expect: attention = fully-masked-nan + return-order-swapped
import torch


def attention_scores(Q, K):
    return (Q @ K.mT * Q.size(-1) ** 0.5).detach()


def softmax(x, dim=-1):
    e = x.data.exp()
    return e / e.sum(dim, keepdim=True)


def attention(Q, K, V, mask=None):
    s = torch.einsum("...td,...sd->...ts", Q, K) * Q.size(-1) ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(dim=-1)
    return w, torch.einsum("...ts,...sd->...td", w, V)
