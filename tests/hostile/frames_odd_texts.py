# attempts: texts of control codes, lone surrogates, markup and a million letters where a report quotes them
# expect: attention_scores = error, crashed
# expect: softmax = error, crashed
# expect: attention = failed, crashed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames


# shared: look


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
