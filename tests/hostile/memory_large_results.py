# attempts: results as large as are sent at all, eight of them, or three of a million numbers, in every case
# expect: attention_scores = failed, crashed, timeout
# expect: softmax = failed, crashed, timeout
# expect: points = 0
import torch

LARGE = torch.zeros(1 << 20, dtype=torch.float64)


def attention_scores(Q, K):
    return (LARGE,) * 8 if Q.dim() == 2 else (LARGE,) * 3


def softmax(x, dim=-1):
    return (LARGE,) * 3
