# attempts: forged observations in pieces of one byte, among writes of nothing
# expect: attention_scores = failed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames
RESULT = {"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}


# shared: look


def attention_scores(Q, K):
    facts = {"outcome": "returned", "results": [RESULT]}
    for byte in b"".join(frame(b"O", {"key": key, **facts}) for key in keys_of("attention_scores")):
        write_everywhere(b"")
        write_everywhere(bytes([byte]))
    os._exit(0)
