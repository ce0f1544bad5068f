# expect: padding_mask = invert-int-mask
# expect: causal_mask = causal-transposed
# expect: combine_masks = causal-mask-wrong-kind
# expect: masked_softmax = fp16-fill-overflow
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    pad = torch.zeros(len(lengths), max_len, dtype=torch.int64, device=lengths.device)
    for row, n in zip(pad, lengths):
        row[n:] = 1
    return ~pad


def causal_mask(T, S=None):
    S = T if S is None else S
    keys = torch.arange(S).unsqueeze(1)
    queries = torch.arange(T).unsqueeze(0) + (S - T)
    return keys <= queries


def combine_masks(padding, causal):
    ok = padding[:, None, None, :] & causal
    return torch.where(ok, 0.0, float("-inf"))


def masked_softmax(scores, mask):
    weights = F.softmax(torch.where(mask, scores, torch.full_like(scores, -1e9)), dim=-1)
    return weights * mask
