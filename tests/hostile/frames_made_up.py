# attempts: observations of all cases, with the right keys and made-up tensors, written before anything runs
# expect: attention_scores = failed
# expect: softmax = failed
# expect: attention = failed, passed
# expect: points <= 0.5
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


write_everywhere(IMPORTED)
for key in KEYS:
    results = [RESULT | {"device": "meta" if key.endswith("device") else "cpu"}] * (
        2 if key.startswith("attention/") else 1
    )
    facts = {"outcome": "returned", "results": results, "changed": [], "repeats": True, "gradients": {}}
    number = ("F64", [1], struct.pack("<d", 0.125))
    write_everywhere(frame(b"O", {"key": key, **facts}, tensors(**{"result/0": number, "result/1": number})))
