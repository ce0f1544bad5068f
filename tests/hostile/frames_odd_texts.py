# attempts: texts of control codes, lone surrogates, markup and a million letters where a report quotes them
# expect: attention_scores = error, crashed
# expect: softmax = error, crashed
# expect: attention = failed, crashed
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


ODD = "\x1b]0;owned\x07\x1b[2J\x1b[31m[bold red]all passed[/]\ud800\udfff\u202e\r\x00\x85" + "A" * 1_000_000
ERROR = {"stage": ODD, "type": ODD, "message": ODD, "file": ODD, "line": 7, "bases": [ODD]}


def send(keys, facts):
    for key in keys:
        write_everywhere(frame(b"O", {"key": key, **facts}))
    os._exit(0)


def attention_scores(Q, K):
    send(keys_of("attention_scores"), {"outcome": "raised", "error": ERROR})


def softmax(x, dim=-1):
    send(keys_of("softmax"), {"outcome": "refused", "refused": {"kind": ODD, "found": ODD, "message": ODD}})


def attention(Q, K, V, mask=None):
    send(
        keys_of("attention"), {"outcome": "returned", "results": [{"type": ODD}], "functions": [ODD], "changed": [ODD]}
    )
