# attempts: making every comparison of torch and numpy answer "equal"
# expect: attention_scores = failed
# expect: softmax = failed
# expect: attention = failed
# expect: points = 0
import numpy
import torch


def yes(*args, **kwargs):
    return True


for module, names in (
    (torch, "allclose equal isclose eq is_nonzero"),
    (torch.testing, "assert_close assert_allclose"),
    (torch.testing._comparison, "assert_equal assert_close"),
    (numpy, "allclose array_equal isclose array_equiv"),
    (numpy.testing, "assert_allclose assert_array_equal assert_array_almost_equal"),
):
    for name in names.split():
        setattr(module, name, yes)


def attention_scores(Q, K):
    return torch.zeros(1)


def softmax(x, dim=-1):
    return torch.zeros(1)


def attention(Q, K, V, mask=None):
    return torch.zeros(1), torch.zeros(1)
