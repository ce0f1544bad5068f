# expect: padding_mask = one-minus-bool
# expect: causal_mask = causal-square-only
# expect: combine_masks = mask-truthiness
# expect: masked_softmax = int-mask-to-masked-fill
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    pad = torch.arange(max_len, device=lengths.device).repeat(len(lengths), 1) >= lengths[:, None]
    return 1 - pad


def causal_mask(T, S=None):
    return torch.ones(T, T, dtype=torch.bool).tril()


def combine_masks(padding, causal):
    return padding[:, None, None, :] and causal[None, None, :, :]


def masked_softmax(scores, mask):
    pad = (mask == 0).type(torch.uint8)
    weights = F.softmax(scores.masked_fill(pad, torch.finfo(scores.dtype).min), dim=-1)
    return weights.masked_fill(pad, 0)
