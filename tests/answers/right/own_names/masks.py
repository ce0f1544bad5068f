import torch
import attention as own


class Masked:
    def __init__(self, mask):
        self.mask = mask

    def safe_softmax(self, scores):
        low = torch.finfo(scores.dtype).min
        weights = torch.softmax(scores.masked_fill(~self.mask, low), -1)
        return weights.masked_fill(~self.mask, 0)


def masked_softmax(scores, mask):
    masked = Masked(mask)
    return masked.safe_softmax(scores)
