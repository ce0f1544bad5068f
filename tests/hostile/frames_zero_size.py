# attempts: tensors without elements and with 2**60 rows, offsets that overlap, overflow or run backwards
# expect: attention_scores = crashed, failed
# expect: softmax = crashed, failed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames
RESULT = {"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}


# shared: look


HEADERS = [
    {"result/0": {"dtype": "F64", "shape": [0, 1 << 60], "data_offsets": [0, 0]}},
    {"result/0": {"dtype": "F64", "shape": [1 << 62, 1 << 62], "data_offsets": [0, 8]}},
    {"result/0": {"dtype": "F64", "shape": [1], "data_offsets": [8, 0]}},
    {"result/0": {"dtype": "F64", "shape": [1], "data_offsets": [0, 1 << 63]}},
    {
        "result/0": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]},
        "result/1": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]},
    },
    {"result/0": {"dtype": "F64", "shape": [18446744073709551615, 2], "data_offsets": [0, 8]}},
    {"result/0": {"dtype": "BOOL", "shape": [8], "data_offsets": [0, 8]}, "__metadata__": {"verdict": "passed"}},
]


def forge():
    key = look("key")
    header = HEADERS[KEYS.index(key) % len(HEADERS)]
    text = json.dumps(header).encode()
    results = [RESULT | {"shape": each["shape"]} for name, each in header.items() if "shape" in each]
    blob = struct.pack("<Q", len(text)) + text + b"\x07" * 8
    write_everywhere(frame(b"O", {"key": key, "outcome": "returned", "results": results}, blob))
    os._exit(0)


def attention_scores(Q, K):
    forge()


def softmax(x, dim=-1):
    forge()
