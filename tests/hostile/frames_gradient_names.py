# attempts: gradients of inputs that do not exist, without numbers, with the wrong shapes
# expect: attention_scores = failed
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
