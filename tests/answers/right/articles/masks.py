import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len):
    batch_size = lengths.size(0)
    seq_range = torch.arange(0, max_len, device=lengths.device).long()
    seq_range_expand = seq_range.unsqueeze(0).expand(batch_size, max_len)
    seq_length_expand = lengths.unsqueeze(1).expand_as(seq_range_expand)
    return seq_range_expand < seq_length_expand


def causal_mask(T, S=None):
    if S is None:
        S = T
    subsequent_mask = torch.triu(torch.ones(T, S), diagonal=1 + S - T).type(torch.uint8)
    return subsequent_mask == 0


def combine_masks(padding, causal):
    src_mask = padding.unsqueeze(1).unsqueeze(2)     # [B, 1, 1, S]
    tgt_mask = causal.unsqueeze(0).unsqueeze(0)      # [1, 1, T, S]
    return src_mask & tgt_mask


def masked_softmax(scores, mask):
    scores = scores.masked_fill(mask == 0, float('-inf'))
    weights = F.softmax(scores, dim=-1)
    # rows that are fully masked give nan -> replace by 0
    return torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)
