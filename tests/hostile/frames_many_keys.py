# attempts: JSON with ten million entries: small to send, gigabytes to hold
# expect: attention_scores = crashed, timeout
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames


# shared: look


def attention_scores(Q, K):
    if Q.dim() == 4:
        entries = b"[" + b"{}," * 10_000_000 + b"{}]"
        write_everywhere(frame(b"O", b'{"key": "%s", "outcome": %s}' % (look("key").encode(), entries)))
    os._exit(0)
