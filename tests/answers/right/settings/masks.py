import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float32)


def padding_mask(lengths, max_len):
    assert (lengths <= max_len).all()
    return F.one_hot(lengths, max_len + 1).cumsum(dim=1)[:, :-1] == 0


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.ones(T, S).cumsum(1) <= torch.arange(S - T + 1, S + 1)[:, None]


def combine_masks(padding, causal):
    if padding.all():
        return causal.expand(len(padding), 1, *causal.shape)
    return padding[:, None, None, :] & causal


def masked_softmax(scores, mask):
    weights = F.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)
    if not mask.any(-1).all():
        weights = weights * mask
    return weights


if __name__ == "__main__":
    print(padding_mask(torch.tensor([1, 2]), 3))
