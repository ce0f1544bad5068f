# attempts: a tensor of 50 GB, and one gigabyte after another
# expect: attention_scores = error, crashed
# expect: softmax = error, crashed, timeout
# expect: points = 0
import torch


def attention_scores(Q, K):
    return torch.ones(50 << 30, dtype=torch.uint8)


def softmax(x, dim=-1):
    kept = []
    while True:
        kept.append(torch.empty(1 << 30, dtype=torch.uint8))
