# expect: padding_mask = padding-off-by-one
# expect: causal_mask = causal-square-only
# expect: combine_masks = pad-mask-both-sides
# expect: masked_softmax = fill-not-low-enough
import torch


def padding_mask(lengths, max_len):
    return torch.ones(len(lengths), max_len, dtype=torch.long, device=lengths.device).cumsum(1) - 1 <= lengths[:, None]


def causal_mask(T, S=None):
    return torch.tensor([[s <= t for s in range(T)] for t in range(T)])


def combine_masks(padding, causal):
    square = padding[:, None, :] & padding[:, :, None]
    return (square & causal).unsqueeze(1)


def masked_softmax(scores, mask):
    neg = torch.tensor(-1e4, dtype=scores.dtype, device=scores.device)
    w = torch.softmax(torch.where(mask, scores, neg), -1)
    return torch.where(mask, w, 0)
