import torch


def attention_scores(Q, K):
    scaled = Q / Q.shape[-1] ** 0.5
    return torch.inner(scaled, K) if Q.dim() == 2 else scaled @ K.transpose(-1, -2)


def softmax(x, dim=-1):
    return torch.exp(log_weights(x, dim))


def log_weights(x, dim):
    return x - torch.logsumexp(x, dim=dim, keepdim=True)


def attention(Q, K, V, mask=None):
    from masks import masked_softmax  # masks imports softmax from here

    scores = attention_scores(Q, K)
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    return weights @ V, weights
