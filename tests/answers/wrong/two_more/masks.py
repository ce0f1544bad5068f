# expect: padding_mask = padding-inverted + padding-width-from-longest
# expect: causal_mask = causal-excludes-self + causal-top-left
# expect: combine_masks = padding-inverted + masks-or-not-and
# expect: masked_softmax = softmax-over-queries + fully-masked-uniform
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    n = max(lengths.tolist())
    return torch.arange(n)[None, :] >= lengths[:, None].cpu()


def causal_mask(T, S=None):
    S = S or T
    return torch.arange(S)[None, :] < torch.arange(T)[:, None]


def combine_masks(padding, causal):
    return torch.maximum(~padding[:, None, None], causal)


def masked_softmax(scores, mask):
    z = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return F.softmax(z, dim=len(z.shape) - 2)
