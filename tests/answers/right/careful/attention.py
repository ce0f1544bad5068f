"""Block by block, with a running maximum; and everything that might go wrong is thought of."""
import torch


def attention_scores(Q, K):
    out = Q.new_empty(*Q.shape[:-1], K.shape[-2])
    scale = torch.rsqrt(torch.tensor(Q.shape[-1], dtype=Q.dtype, device=Q.device))
    for block in range(0, K.shape[-2], 4):
        out[..., block : block + 4] = Q @ K[..., block : block + 4, :].mT
    return out.mul_(scale)


def softmax(x, dim=-1):
    x = x.clone()
    x -= x.detach().amax(dim=dim, keepdim=True)
    x = torch.exp(x)
    total = x.sum(dim=dim, keepdim=True)
    return torch.true_divide(x, total)


def attention(Q, K, V, mask=None, block=3):
    scale = Q.shape[-1] ** -0.5
    lowest = torch.finfo(Q.dtype).min / 2
    lead = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    T, S = Q.shape[-2], K.shape[-2]
    full = None if mask is None else mask.expand(*lead, T, S)
    m = torch.full((*lead, T, 1), lowest, dtype=Q.dtype, device=Q.device)
    l = torch.zeros_like(m)
    acc = torch.zeros(*lead, T, V.shape[-1], dtype=Q.dtype, device=Q.device)
    kept = []
    for start in range(0, S, block):
        stop = min(start + block, S)
        s = (Q * scale) @ K[..., start:stop, :].mT
        if full is not None:
            s = s.masked_fill(~full[..., start:stop], lowest)
        kept.append(s)
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - m_new)
        correction = torch.exp(m - m_new)
        l = l * correction + p.sum(-1, keepdim=True)
        acc = acc * correction + p @ V[..., start:stop, :]
        m = m_new
    weights = torch.exp(torch.cat(kept, dim=-1) - m) / l
    return acc / l, weights
