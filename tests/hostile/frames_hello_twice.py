# attempts: a second HELLO that claims other layers, then the true one again
# expect: attention_scores = crashed, skipped
# expect: softmax = crashed, skipped
# expect: attention = crashed, skipped
# expect: points = 0
import json
import os
import struct

# shared: frames

write_everywhere(frame(b"H", {"isolation": {"files": "on", "syscalls": "on"}, "torch": "9.9"}) * 2)


def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5
