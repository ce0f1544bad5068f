# attempts: results of every kind of tensor there is: sparse, quantised, nested, complex, meta, named, conjugated, empty
# expect: attention_scores = failed, passed
# expect: softmax = failed, passed
# expect: attention = failed, passed
# expect: points <= 0.5
import warnings

import torch

warnings.simplefilter("ignore")


def attention_scores(Q, K):
    scores = (Q @ K.mT).detach()
    if Q.dim() == 4:
        return scores.to_sparse()
    if Q.dim() == 2:
        return torch.quantize_per_tensor(scores.float(), 0.1, 0, torch.qint8)
    return scores.to(torch.complex128).conj() if Q.dtype == torch.float64 else scores.to("meta")


def softmax(x, dim=-1):
    if x.dim() == 4:
        return torch.nested.nested_tensor([x[0, 0].detach(), x[0, 1, :2].detach()])
    return x.detach().to(torch.float16).to_sparse_csr() if x.dim() == 2 else torch.empty(0)


def attention(Q, K, V, mask=None):
    return torch._neg_view(torch.zeros(3)), torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(torch.zeros(2)))
