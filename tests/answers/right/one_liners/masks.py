import torch as th

padding_mask = lambda lengths, max_len: th.stack([th.arange(max_len, device=n.device) < n for n in lengths])
causal_mask = lambda T, S=None: th.tensor([[j <= i + ((S or T) - T) for j in range(S or T)] for i in range(T)])
combine_masks = lambda padding, causal: th.stack([p & causal for p in padding])[:, None]
masked_softmax = lambda scores, mask: th.where(
    mask, th.softmax(th.where(mask, scores, th.finfo(scores.dtype).min), -1), th.zeros((), dtype=scores.dtype, device=scores.device)
)
