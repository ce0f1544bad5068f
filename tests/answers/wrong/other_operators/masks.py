# expect: combine_masks = key-mask-not-unsqueezed
# expect: masked_softmax = zero-times-inf
import torch


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def masked_softmax(scores, mask):
    additive = (1.0 - mask.to(scores.dtype)) * float("-inf")
    return torch.softmax(scores + additive, dim=-1)
