# attempts: observations of other exercises, of no exercise, of cases done before, and reports on other files
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

write_everywhere(frame(b"M", {"file": "../solutions/attention.py", "untouched": []}))
for key in ("softmax/rows", "attention_scores/4-D/", "", "attention_scores", "multihead/values", "__class__/__init__"):
    write_everywhere(frame(b"O", {"key": key, "outcome": "returned", "results": []}))
