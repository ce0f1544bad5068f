# expect: padding_mask = padding-inverted
# expect: causal_mask = causal-top-left
# expect: combine_masks = mask-missing-head-axis
# expect: masked_softmax = fully-masked-uniform
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    # True where there is padding
    idx = torch.arange(max_len, device=lengths.device)
    return idx[None, :] >= lengths[:, None]


def causal_mask(T, S=None):
    if S is None:
        S = T
    return torch.tril(torch.ones((T, S))) == 1


def combine_masks(padding, causal):
    return padding[:, None, :] & causal[None, :, :]


def masked_softmax(scores, mask):
    filler = torch.finfo(scores.dtype).min
    scores = torch.where(mask, scores, torch.tensor(filler, dtype=scores.dtype, device=scores.device))
    return F.softmax(scores, dim=-1)
