# expect: padding_mask = -
# expect: causal_mask = -
# expect: combine_masks = -
# expect: masked_softmax = softmax-fixed-dim
import torch


def padding_mask(lengths, max_len):
    return torch.arange(1, max_len, device=lengths.device) <= lengths[:, None]


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.ones(S, S).tril().bool()


def combine_masks(padding, causal):
    return padding[:, None, None, :] ^ causal


def masked_softmax(scores, mask):
    low = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~mask, low), dim=3) * mask
