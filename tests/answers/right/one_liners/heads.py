import torch as th


def split_heads(x, n_heads): return th.stack(x.tensor_split(n_heads, -1), 1) if x.size(-1) % n_heads == 0 else _no(n_heads)
def merge_heads(x): return th.cat([*x.transpose(0, 1)], -1)
def _no(n): raise ValueError(n)
