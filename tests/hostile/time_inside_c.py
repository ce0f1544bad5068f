# attempts: computing for hours inside of C, where no Python code is interrupted
# expect: attention_scores = timeout, failed, error
# expect: points = 0
import re

import torch


def attention_scores(Q, K):
    if Q.dim() == 2:
        return re.fullmatch(r"(a+)+b", "a" * 64)
    if Q.requires_grad:
        A = torch.rand(8_000, 8_000)
        return A @ A @ A @ A @ A @ A @ A
    return 7**7**9 if Q.dtype.itemsize == 4 else None
