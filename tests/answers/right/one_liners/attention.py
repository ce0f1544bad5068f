import torch as th

attention_scores = lambda Q, K: (Q / (d := Q.shape[-1]) ** 0.5) @ K.swapaxes(-1, -2)
softmax = lambda x, dim=-1: (e := (x - x.amax(dim, True)).exp()) / e.sum(dim, True)
attention = lambda Q, K, V, mask=None: (
    (w := softmax(attention_scores(Q, K) if mask is None else th.where(mask, attention_scores(Q, K), -1e30))) @ V,
    w,
)
