# expect: causal_mask = invert-int-mask
# expect: combine_masks = one-minus-bool
# expect: masked_softmax = softmax-over-heads
import torch


def causal_mask(T, S=None):
    S = S or T
    future = torch.triu(torch.ones(T, S, dtype=torch.long), diagonal=S - T + 1)
    return ~future


def combine_masks(padding, causal):
    hidden = ~padding[:, None, None, :] | ~causal
    return 1 - hidden


def masked_softmax(scores, mask):
    z = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return torch.nn.functional.softmax(z, 1).where(mask, torch.zeros_like(z))
