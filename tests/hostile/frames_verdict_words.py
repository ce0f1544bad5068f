# attempts: fields that only the trusted side may fill: verdict, points, expected, mistakes
# expect: attention_scores = failed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames
RESULT = {"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}


# shared: look


CLAIMS = {
    "verdict": "passed", "points": 1e9, "max_points": 1e9, "passed": True, "expected": [], "tolerance": 1e9,
    "rtol": 1e9, "mistakes": [], "ungradable": True, "check": "values", "isolation": {}, "free": [True],
    "__class__": "Grade",
}  # fmt: skip


def attention_scores(Q, K):
    for key in keys_of("attention_scores"):
        facts = {
            "outcome": "returned",
            "results": [RESULT | CLAIMS],
            "gradients": {"Q": RESULT | CLAIMS},
            "repeats": True,
        }
        write_everywhere(frame(b"O", CLAIMS | {"key": key, **facts}))
    os._exit(0)
