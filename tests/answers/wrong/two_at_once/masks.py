# expect: padding_mask = padding-off-by-one + padding-inverted
# expect: causal_mask = causal-upper-triangle + causal-top-left
# expect: combine_masks = masks-or-not-and + pad-mask-on-query-rows
# expect: masked_softmax = mask-inverted + fully-masked-uniform
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    return torch.arange(max_len, device=lengths.device).unsqueeze(0) > lengths.unsqueeze(1)


def causal_mask(T, S=None):
    if S is None:
        S = T
    return torch.triu(torch.ones(T, S), diagonal=1).bool()


def combine_masks(padding, causal):
    return padding[:, None, :, None].logical_or(causal)


def masked_softmax(scores, mask):
    scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    return F.softmax(scores, dim=-1)
