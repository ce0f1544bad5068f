# expect: padding_mask = mask-on-wrong-device
# expect: causal_mask = causal-excludes-self
# expect: combine_masks = mask-inverted
# expect: masked_softmax = bool-mask-added + fully-masked-uniform
import numpy as np
import torch


def padding_mask(lengths, max_len):
    return torch.arange(max_len)[None] < lengths[:, None]


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.tensor(np.tri(T, S, S - T - 1), dtype=torch.bool)


def combine_masks(padding, causal):
    return ~(padding[:, None, None, :] * causal[None, None])


def masked_softmax(scores, mask):
    scores = scores + mask
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)
