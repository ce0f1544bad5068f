import torch
import torch.nn.functional as F

print("loading my attention")


def attention_scores(Q, K):
    return Q @ K.mT / torch.sqrt(Q.size(-1))


def softmax(x, dim=-1):
    return F.softmax(x, dim=dim)


def attention(Q, K, V, mask=None):
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=mask), None
