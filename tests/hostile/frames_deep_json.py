# attempts: JSON nested a hundred thousand levels deep, closed and unclosed
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import json
import os
import struct

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

DEPTH = 100_000


def attention_scores(Q, K):
    write_everywhere(frame(b"O", b"[" * DEPTH + b"]" * DEPTH))
    os._exit(0)


def softmax(x, dim=-1):
    write_everywhere(frame(b"O", b'{"key":' * DEPTH))
    os._exit(0)
