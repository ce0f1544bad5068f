# attempts: tensors in float16, bfloat16, complex and dtypes that do not exist, announced as float64
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames
RESULT = {"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}


def tensors(**arrays):  # name=(dtype, shape, bytes)
    header, data = {}, b""
    for name, (dtype, shape, content) in arrays.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


# shared: look


KINDS = ["F16", "BF16", "F8_E4M3", "C64", "U8", "I8", "F32", "F128", "", "float64", "F4", "I64 "]


def forge():
    key = look("key")
    blob = tensors(**{"result/0": (KINDS[KEYS.index(key) % len(KINDS)], [2], bytes(16))})
    result = RESULT | {"shape": [2]}
    write_everywhere(frame(b"O", {"key": key, "outcome": "returned", "results": [result]}, blob))
    os._exit(0)


def attention_scores(Q, K):
    forge()


def softmax(x, dim=-1):
    forge()
