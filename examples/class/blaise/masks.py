import torch


def padding_mask(lengths, max_len):
    return torch.arange(max_len, device=lengths.device) <= lengths.unsqueeze(1)


def causal_mask(T, S=None):
    return torch.triu(torch.ones(T, S or T)).bool()


def combine_masks(padding, causal):
    return padding[:, None, None, :] | causal


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
