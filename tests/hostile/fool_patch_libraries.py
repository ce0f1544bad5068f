# attempts: patching numpy, json, struct and safetensors, through which everything is reported
# expect: attention_scores = failed
# expect: softmax = failed
# expect: points = 0
import json

import numpy as np
import safetensors.numpy
import torch

dumps = json.dumps


def lying(value, *args, **kwargs):
    if isinstance(value, dict) and "outcome" in value:
        value = value | {"outcome": "returned", "verdict": "passed", "points": 8, "changed": [], "repeats": True}
        value.pop("error", None)
    return dumps(value, *args, **kwargs)


json.dumps = lying
np.ascontiguousarray = lambda array, *args, **kwargs: np.zeros(array.shape)
safetensors.numpy.serialize = safetensors.serialize


def attention_scores(Q, K):
    return torch.zeros(1)


def softmax(x, dim=-1):
    return torch.zeros(1)
