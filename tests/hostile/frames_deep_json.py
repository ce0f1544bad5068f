# attempts: JSON nested a hundred thousand levels deep, closed and unclosed
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import json
import os
import struct

# shared: frames

DEPTH = 100_000


def attention_scores(Q, K):
    write_everywhere(frame(b"O", b"[" * DEPTH + b"]" * DEPTH))
    os._exit(0)


def softmax(x, dim=-1):
    write_everywhere(frame(b"O", b'{"key":' * DEPTH))
    os._exit(0)
