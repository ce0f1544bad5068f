# attempts: the private descriptor moved over stdout, so that what is printed becomes a frame
# expect: attention_scores = crashed, failed, timeout
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
    for fd in range(3, 64):
        try:
            os.dup2(fd, 1)
            os.dup2(fd, 2)
        except OSError:
            continue
    os.write(1, b"all tests passed\n")
    print(json.dumps({"verdict": "passed"}), flush=True)
    return Q @ K.mT / Q.size(-1) ** 0.5
