import torch


def log_softmax(x, dim):
    return x - torch.logsumexp(x, dim, keepdim=True)


def softmax(x, dim):
    return log_softmax(x, dim).exp()
