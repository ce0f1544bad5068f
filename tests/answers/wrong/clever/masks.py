# expect: padding_mask = padding-left
# expect: causal_mask = causal-one-step-leak
# expect: combine_masks = key-mask-not-unsqueezed
# expect: masked_softmax = mask-multiplies-scores + fully-masked-uniform
import torch
from torch.nn import functional as F


def padding_mask(lengths, max_len):
    mask = torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(-1)
    return mask.flip(-1)


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.ones(T, S, dtype=torch.bool).tril(S - T + 1)


def combine_masks(padding, causal):
    return (causal & padding)[None, None]


def masked_softmax(scores, mask):
    return F.softmax(torch.einsum("...ts,...ts->...ts", scores, mask.to(scores.dtype).expand_as(scores)), dim=-1)
