# expect: padding_mask = mask-on-wrong-device
# expect: causal_mask = one-minus-bool
# expect: combine_masks = causal-upper-triangle
# expect: masked_softmax = forward-patched-grad-nan
import torch


def padding_mask(lengths, max_len):
    mask = torch.ones(len(lengths), max_len, dtype=torch.bool)
    return mask & (torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1))


def causal_mask(T, S=None):
    S = T if S is None else S
    future = torch.ones(T, S, dtype=torch.bool).triu(diagonal=S - T + 1)
    return 1 - future


def combine_masks(padding, causal):
    future = causal == False
    return padding[:, None, None, :] & future[None, None]


def masked_softmax(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    top = scores.masked_fill(~mask, lowest).amax(-1, keepdim=True)
    e = torch.exp(scores - top) * mask
    w = e / e.sum(-1, keepdim=True)
    return torch.where(mask.any(-1, keepdim=True), w, 0.0)
