# attempts: replacing the worker's own observing functions by ones that report what is wanted
# expect: attention_scores = failed, error, crashed
# expect: softmax = failed, error, crashed
# expect: attention = failed, error, crashed
# expect: points = 0
import numpy as np
import torch

from attention_kata.worker import answer, observe


def observed(namespace, script, arrays, files):
    results = [{"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}]
    report = {"outcome": "passed", "results": results, "verdict": "passed", "points": 100, "repeats": "yes"}
    return report, {"result/0": np.zeros(1)}


answer.observe = observe.observe = observed
observe._same = observe._all_same = lambda *args: True
observe.Run.purity = observe.Run.gradients = lambda self: None


def attention_scores(Q, K):
    return torch.zeros(1)


def softmax(x, dim=-1):
    return torch.zeros(1)


def attention(Q, K, V, mask=None):
    return torch.zeros(1), torch.zeros(1)
