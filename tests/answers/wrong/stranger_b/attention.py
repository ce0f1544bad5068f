# expect: attention_scores = fixed-number-of-axes
# expect: softmax = -
# expect: attention = -
import torch
import torch.nn.functional as F


def attention_scores(Q, K):
    return torch.bmm(Q, K.permute(0, 2, 1)) / Q.shape[-1] ** 0.5


def softmax(x, dim=-1):
    return torch.exp(F.log_softmax(x, dim))


def attention(Q, K, V, mask=None):
    out = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    weights = torch.linalg.lstsq(V.mT, out.mT).solution.mT
    return out, weights
