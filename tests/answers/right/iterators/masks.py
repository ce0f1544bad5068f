from itertools import chain, product
import torch


def padding_mask(lengths, max_len):
    def row(n):
        yield from (True for _ in range(n))
        yield from (False for _ in range(max_len - n))

    return torch.tensor([list(row(n)) for n in lengths.tolist()], device=lengths.device)


def causal_mask(T, S=None):
    S = T if S is None else S
    flat = [s - t <= S - T for t, s in product(range(T), range(S))]
    return torch.BoolTensor(flat).reshape(T, S)


def combine_masks(padding, causal):
    pairs = (row * causal for row in padding)
    return torch.cat([p[None, None] for p in pairs], dim=0)


def masked_softmax(scores, mask):
    def line(s, m):
        if not bool(m.any()):
            return torch.zeros_like(s)
        s = s.masked_fill(~m, -torch.inf)
        return torch.softmax(s, dim=-1)

    m = mask.expand(scores.shape)
    lines = [line(s, m_) for s, m_ in zip(scores.flatten(0, -2), m.flatten(0, -2))]
    return torch.stack(lines).view_as(scores)
