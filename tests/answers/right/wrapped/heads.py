"""Decorators of every kind."""
import functools

import torch


def with_width(function):
    @functools.wraps(function)
    def wrapper(x, n_heads):
        return function(x, n_heads, x.shape[-1] // n_heads)

    return wrapper


@torch.compiler.disable(recursive=False)
@with_width
def split_heads(x, n_heads, d_k):
    if n_heads * d_k != x.shape[-1]:
        raise ValueError("n_heads must divide the width")
    return x.unflatten(-1, (n_heads, d_k)).transpose(1, 2)


@torch._dynamo.disable()
@torch._dynamo.allow_in_graph
def merge_heads(x):
    return x.transpose(1, 2).flatten(2)
