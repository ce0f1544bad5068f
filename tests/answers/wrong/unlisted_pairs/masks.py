# expect: masked_softmax = mask-zero-sentinel
import torch


def masked_softmax(scores, mask):
    s = scores * mask
    s = torch.where(s == 0, torch.finfo(s.dtype).min, s)
    return torch.softmax(s, -1) * mask
