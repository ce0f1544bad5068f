# attempts: gradients of inputs that do not exist, without numbers, with the wrong shapes
# expect: attention_scores = failed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames
RESULT = {"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}


# shared: look


GRADIENTS = [
    {"Q": None, "K": None, "nothing": None},
    {"Q": RESULT, "K": RESULT},
    {"": RESULT},
    {"Q": {"type": "dict"}, "K": {"type": ""}},
    {"Q": RESULT | {"shape": [2, 4, 8]}, "K": RESULT | {"shape": [2, 6, 8]}},
]


def attention_scores(Q, K):
    for i, key in enumerate(keys_of("attention_scores")):
        facts = {"outcome": "returned", "results": [RESULT], "gradients": GRADIENTS[i % len(GRADIENTS)]}
        write_everywhere(frame(b"O", {"key": key, **facts}))
    os._exit(0)
