# attempts: closing every descriptor, then opening others in their place, then a loop that nobody hears of
# expect: attention_scores = crashed
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


def attention_scores(Q, K):
    os.closerange(0, 64)
    for _ in range(16):
        try:
            os.pipe()
        except OSError:
            pass
    while Q.dim() == 2:
        pass
    return Q @ K.mT / Q.size(-1) ** 0.5
