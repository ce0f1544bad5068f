# expect: padding_mask = -
# expect: causal_mask = -
# expect: combine_masks = -
# expect: masked_softmax = -
import torch


def padding_mask(lengths, max_len):
    """
    lengths (B,) int64 -> mask (B, max_len) bool
    """


def causal_mask(T, S=None):
    print(torch.tril(torch.ones(T, S or T)))


def combine_masks(padding, causal):
    return padding[:, None, None, :], causal


def masked_softmax(scores, mask):
    for t in range(scores.shape[-2]):
        w = torch.softmax(scores[..., t, :].masked_fill(~mask[..., t, :], -1e4), -1)
        return w
