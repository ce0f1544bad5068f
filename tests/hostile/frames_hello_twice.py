# attempts: a second HELLO that claims other layers, then the true one again
# expect: attention_scores = crashed, skipped
# expect: softmax = crashed, skipped
# expect: attention = crashed, skipped
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

write_everywhere(frame(b"H", {"isolation": {"files": "on", "syscalls": "on"}, "torch": "9.9"}) * 2)


def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5
