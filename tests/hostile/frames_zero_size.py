# attempts: tensors without elements and with 2**60 rows, offsets that overlap, overflow or run backwards
# expect: attention_scores = crashed, failed
# expect: softmax = crashed, failed
# expect: points = 0
import json
import os
import struct
import sys

EMPTY = struct.pack("<Q", 2) + b"{}"


def frame(kind, meta, blob=EMPTY):
    text = meta if isinstance(meta, bytes) else json.dumps(meta).encode()
    payload = struct.pack("<I", len(text)) + text + blob
    return kind + struct.pack("<I", len(payload)) + payload


def write_everywhere(data):
    for fd in range(3, 64):
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(fd, view) :]
        except OSError:
            pass


IMPORTED = frame(b"M", {"file": "attention.py", "untouched": []})
RESULT = {"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}


def look(name):
    """A variable of the worker's function that answers the job."""
    frame = sys._getframe(1)
    while frame.f_code.co_name != "carry_out" or name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]


KEYS = [f"{exercise['exercise']}/{case['id']}" for exercise, _ in look("exercises") for case in exercise["cases"]]


def keys_of(exercise):
    return [key for key in KEYS if key.startswith(f"{exercise}/")]


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
