# attempts: counts that are negative, infinite, NaN, fractions, booleans or have ten thousand digits
# expect: attention_scores = crashed
# expect: softmax = crashed
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


NUMBERS = [b"-1", b"NaN", b"Infinity", b"1.5", b"true", b"1" * 10_000, b"9" * 4000, b"-Infinity", b"1e999", b"null"]
SIZES = [-1, 1 << 62, True, "4", None, 1.0, [], {}]
FIELDS = ["operations", "largest"]


def attention_scores(Q, K):
    key = look("key")
    which = KEYS.index(key)
    number, field = NUMBERS[which], FIELDS[which % len(FIELDS)]
    text = json.dumps({"key": key, "outcome": "returned", "results": [RESULT], field: "NUMBER"}).encode()
    write_everywhere(frame(b"O", text.replace(b'"NUMBER"', number)))
    os._exit(0)


def softmax(x, dim=-1):
    key = look("key")
    size = SIZES[KEYS.index(key) % len(SIZES)]
    write_everywhere(frame(b"O", {"key": key, "outcome": "returned", "results": [RESULT | {"shape": [4, size]}]}))
    os._exit(0)
