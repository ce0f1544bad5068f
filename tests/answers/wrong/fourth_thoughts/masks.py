# expect: masked_softmax = int-mask-to-masked-fill
import torch


def masked_softmax(scores, mask):
    hidden = 1.0 - mask.float()
    w = torch.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), -1)
    return w * mask
