# attempts: observations as large as a frame may be, in every case: a gigabyte to keep for one submission
# expect: attention_scores = failed, crashed
# expect: softmax = failed, crashed
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


COUNT = (4 << 20) - 1024


def forge(keys):
    big = RESULT | {"shape": [COUNT]}
    blob = tensors(**{"result/0": ("F64", [COUNT], bytes(8 * COUNT))})
    for key in keys:
        write_everywhere(frame(b"O", {"key": key, "outcome": "returned", "results": [big]}, blob))
    os._exit(0)


def attention_scores(Q, K):
    forge(keys_of("attention_scores"))


def softmax(x, dim=-1):
    forge(keys_of("softmax"))
