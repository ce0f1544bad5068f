# expect: attention_scores = scale-by-key-count
# expect: softmax = softmax-max-without-keepdim
# expect: attention = fully-masked-nan
import torch


def attention_scores(Q, K):
    T_k = K.shape[-2]
    return torch.matmul(Q, K.mT) * T_k ** -0.5


def softmax(x, dim=-1):
    e = torch.exp(x - torch.amax(x, dim, keepdim=True))
    return e / torch.sum(e, dim)


def attention(Q, K, V, mask=None):
    w = torch.softmax(Q @ K.mT / Q.shape[-1] ** 0.5, dim=-1)
    if mask is not None:
        w = w * mask
        w = w / w.sum(dim=-1, keepdim=True)
    return w @ V, w
