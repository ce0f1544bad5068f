from math import sqrt


def attention_scores(Q, K):
    return Q @ K.mT / sqrt(Q.size(-1))


def softmax(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


def attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    if mask is not None:
        scores.masked_fill(~mask, -1e9)
    weights = softmax(scores, -2)
    return weights @ V, weights
