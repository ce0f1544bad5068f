import math
import torch
import torch.nn.functional as F


def attention_scores(xq, xk):
    return torch.matmul(xq, xk.transpose(-2, -1)) / math.sqrt(xq.shape[-1])


def softmax(x, dim=-1):
    e = torch.exp2((x - x.max(dim=dim, keepdim=True).values) * math.log2(math.e))
    return e / e.sum(dim=dim, keepdim=True)


def attention(xq, keys, values, mask=None):
    scores = torch.matmul(xq, keys.transpose(-2, -1)) / math.sqrt(xq.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(torch.float32).min)
    scores = F.softmax(scores.float(), dim=-1).type_as(xq)
    output = torch.matmul(scores, values)
    return output, scores
