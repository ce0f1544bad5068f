import torch


def split_heads(x, n_heads):
    width = x.shape[-1]
    if width % n_heads:
        raise ValueError("uneven")
    step = width // n_heads
    heads = (x[:, :, i : i + step] for i in range(0, width, step))
    return torch.stack(list(heads)).transpose(0, 1)


def merge_heads(x):
    tokens = (torch.cat(list(x[:, :, t].unbind(1)), dim=1) for t in range(x.shape[2]))
    return torch.stack(list(tokens), dim=1)
