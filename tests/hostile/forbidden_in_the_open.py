# attempts: the functions to be written by hand, under other names
# expect: softmax = failed, skipped
# expect: attention = failed, skipped
# expect: points = 0
import torch
import torch.nn.functional as F
from torch import softmax as finished

soft = {"max": finished}


def softmax(x, dim=-1):
    return soft["max"](x, dim)


def attention(Q, K, V, mask=None):
    return F.scaled_dot_product_attention(Q, K, V, mask), torch.ops.aten._softmax.default(Q @ K.mT, -1, False)
