# attempts: reading on its descriptors for something that the trusted side still sends
# expect: attention_scores = timeout, error
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
    answers = b""
    while Q.dim() == 2 and b"expected" not in answers:
        for fd in range(3, 8):
            try:
                answers += os.read(fd, 1 << 16)
            except OSError:
                pass
    assert answers, "nothing more was sent"
    return Q @ K.mT / Q.size(-1) ** 0.5
