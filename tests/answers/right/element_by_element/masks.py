import torch


def padding_mask(lengths, max_len):
    mask = torch.zeros((len(lengths), max_len), dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths):
        for j in range(max_len):
            mask[b, j] = j < n
    return mask


def causal_mask(T, S=None):
    if S is None:
        S = T
    mask = torch.full((T, S), False)
    for t in range(T):
        for s in range(S):
            if s <= t + S - T:
                mask[t][s] = True
    return mask


def combine_masks(padding, causal):
    B, S = padding.shape
    T, _ = causal.shape
    out = torch.empty(B, 1, T, S, dtype=torch.bool, device=padding.device)
    for b in range(B):
        for t in range(T):
            out[b, 0, t] = padding[b] * causal[t]
    return out


def masked_softmax(scores, mask):
    mask = mask.broadcast_to(scores.shape)
    if scores.dim() > 1:
        return torch.stack([masked_softmax(s, m) for s, m in zip(scores, mask)])
    if not mask.any():
        return scores * 0
    open_scores = scores[mask]
    e = (open_scores - open_scores.max()).exp()
    return torch.zeros_like(scores).masked_scatter(mask, e / e.sum())
