# expect: masked_softmax = hidden-in-softmax
import torch


def masked_softmax(scores, mask):
    w = torch.softmax(scores, dim=-1) * mask
    return w / w.sum(-1, keepdim=True).clamp(min=1e-9)
