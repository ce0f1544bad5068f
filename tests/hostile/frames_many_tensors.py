# attempts: a header that names three hundred thousand tensors without elements
# expect: attention_scores = crashed, timeout
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


def look(name):
    """A variable of the worker's function that answers the job."""
    frame = sys._getframe(1)
    while frame.f_code.co_name != "carry_out" or name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]


KEYS = [f"{exercise['exercise']}/{case['id']}" for exercise, _ in look("exercises") for case in exercise["cases"]]


def keys_of(exercise):
    return [key for key in KEYS if key.startswith(f"{exercise}/")]


def attention_scores(Q, K):
    if Q.dim() == 4:
        one = b'"%d":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},'
        header = b"{" + b"".join(one % i for i in range(300_000)).rstrip(b",") + b"}"
        blob = struct.pack("<Q", len(header)) + header
        write_everywhere(frame(b"O", {"key": look("key"), "outcome": "returned", "results": []}, blob))
    os._exit(0)
