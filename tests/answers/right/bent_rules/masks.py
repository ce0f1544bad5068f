import torch


def padding_mask(lengths, max_len):
    return torch.stack([torch.tensor([1] * n + [0] * (max_len - n)) for n in lengths])
