import torch
import torch.nn.functional as F
from torch import Tensor


def attention_scores(Q: Tensor, K: Tensor) -> Tensor:
    if Q.dim() == 2:
        return torch.mm(Q, K.t()) / (Q.shape[1] ** 0.5)
    *lead, T, d = Q.shape
    S = K.shape[-2]
    q = Q.reshape(-1, T, d)
    k = K.reshape(-1, S, d)
    out = torch.empty(q.shape[0], T, S, dtype=Q.dtype, device=Q.device)
    scores = torch.baddbmm(out, q, k.transpose(1, 2), beta=0, alpha=d ** -0.5)
    return scores.view(*lead, T, S)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    shifted = x.sub(x.max(dim, True)[0])
    numerator = shifted.exp()
    denominator = numerator.sum(dim, True)
    return numerator.div(denominator)


def attention(Q, K, V, mask=None):
    squeeze = Q.dim() == 2
    if squeeze:
        Q, K, V = Q[None], K[None], V[None]
    lead = Q.shape[:-2]
    T, S = Q.shape[-2], K.shape[-2]
    Qf, Kf, Vf = Q.flatten(0, -3), K.flatten(0, -3), V.flatten(0, -3)
    logits = torch.bmm(Qf, Kf.permute(0, 2, 1)).mul(Q.shape[-1] ** -0.5)
    if mask is not None:
        bias = torch.zeros_like(mask, dtype=logits.dtype).masked_fill_(mask.logical_not(), -1e12)
        bias = bias.expand(*lead, T, S).reshape(-1, T, S)
        logits = torch.add(logits, bias)
    w = F.softmax(logits, 2)
    out, w = torch.bmm(w, Vf).unflatten(0, lead), w.unflatten(0, lead)
    return (out.squeeze(0), w.squeeze(0)) if squeeze else (out, w)
