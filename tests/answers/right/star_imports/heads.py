from torch import *
from lib import shapes


def split_heads(x, n_heads):
    return shapes.apart(x, n_heads)


merge_heads = shapes.together
