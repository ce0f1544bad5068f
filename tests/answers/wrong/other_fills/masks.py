# expect: causal_mask = causal-mask-wrong-kind
# expect: combine_masks = masks-added-overflow
# expect: masked_softmax = fill-not-low-enough
import torch


def causal_mask(T, S=None):
    S = T if S is None else S
    return (1 - torch.tril(torch.ones(T, S), diagonal=S - T)) * -10000.0


def combine_masks(padding, causal):
    low = torch.finfo(torch.float32).min
    p = torch.zeros(padding.shape, device=padding.device).masked_fill(~padding, low)
    c = torch.zeros(causal.shape, device=causal.device).masked_fill(~causal, low)
    return p[:, None, None, :] + c[None, None]


def masked_softmax(scores, mask):
    s = torch.where(mask, scores, torch.full_like(scores, -999.0))
    return torch.softmax(s, -1).masked_fill(~mask, 0)
