import math
import torch


def attention_scores(Q, K):
    if Q.dim() > 2:
        return torch.stack([attention_scores(q, k) for q, k in zip(Q, K)])
    rows = []
    for i in range(Q.shape[0]):
        row = []
        for j in range(K.shape[0]):
            s = 0.0
            for d in range(Q.shape[1]):
                s = s + Q[i, d] * K[j, d]
            row.append(s / math.sqrt(Q.shape[1]))
        rows.append(torch.stack(row))
    return torch.stack(rows)


def softmax(x, dim=-1):
    slices = x.unbind(dim)
    biggest = slices[0]
    for s in slices[1:]:
        biggest = torch.maximum(biggest, s)
    exps = [torch.exp(s - biggest) for s in slices]
    total = sum(exps)
    return torch.stack([e / total for e in exps], dim)


def attention(Q, K, V, mask=None):
    """One query at a time; every leading axis by recursion."""
    if Q.dim() > 2:
        n = Q.size(0)
        if mask is None:
            masks = [None] * n
        elif mask.dim() < Q.dim():
            masks = [mask] * n
        else:
            masks = mask if mask.size(0) == n else mask.expand(n, *mask.shape[1:])
        pairs = [attention(q, k, v, m) for q, k, v, m in zip(Q, K, V, masks)]
        outputs, weights = zip(*pairs)
        return torch.stack(outputs), torch.stack(weights)
    outputs, weights = [], []
    for t, q in enumerate(Q):
        scores = []
        for s, k in enumerate(K):
            score = torch.dot(q, k) / math.sqrt(len(q))
            if mask is not None:
                row = mask[t if mask.size(0) > 1 else 0]
                score = torch.where(row[s], score, torch.full_like(score, -1e18))
            scores.append(score)
        w = softmax(torch.stack(scores))
        weights.append(w)
        outputs.append(sum(w[s] * V[s] for s in range(len(V))))
    return torch.stack(outputs), torch.stack(weights)
