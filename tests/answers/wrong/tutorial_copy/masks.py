# expect: padding_mask = padding-width-from-longest
# expect: causal_mask = causal-mask-wrong-kind
# expect: combine_masks = pad-mask-on-query-rows
# expect: masked_softmax = fully-masked-nan
import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence


def padding_mask(lengths, max_len):
    rows = [torch.ones(int(n), dtype=torch.bool) for n in lengths]
    return pad_sequence(rows, batch_first=True, padding_value=False)


def causal_mask(T, S=None):
    S = T if S is None else S
    mask = (torch.triu(torch.ones(S, S)) == 1).transpose(0, 1)
    mask = mask.float().masked_fill(mask == 0, float("-inf")).masked_fill(mask == 1, float(0.0))
    return mask[S - T :]


def combine_masks(padding, causal):
    return padding.unsqueeze(1).unsqueeze(3) & causal.unsqueeze(0)


def masked_softmax(scores, mask):
    return F.softmax(scores.masked_fill(mask.logical_not(), -torch.inf), dim=-1)
