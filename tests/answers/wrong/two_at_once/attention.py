# expect: attention_scores = scale-missing + query-key-swapped
# expect: softmax = softmax-no-max-subtraction + softmax-fixed-dim
# expect: attention = scale-missing + mask-inverted
import torch
import torch.nn.functional as F


def attention_scores(Q, K):
    return (K.unsqueeze(-2) * Q.unsqueeze(-3)).sum(-1)


def softmax(x, dim=-1):
    total = x.exp().sum(-1, keepdim=True)
    return x.exp() * total.pow(-1)


def attention(Q, K, V, mask=None):
    s = Q.matmul(K.transpose(-1, -2))
    if mask is not None:
        s = s + mask.to(s.dtype) * -1e9
    p = F.softmax(s, dim=-1)
    return p.matmul(V), p
