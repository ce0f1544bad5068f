# attempts: JSON nested just deeply enough to be parsed and then to overflow whoever prints it
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames


# shared: look


def forge():
    key = look("key")
    depth = 860 + 6 * KEYS.index(key)
    nest = b"[" * depth + b"]" * depth
    write_everywhere(frame(b"O", b'{"key": "%s", "outcome": %s}' % (key.encode(), nest)))
    os._exit(0)


def attention_scores(Q, K):
    forge()


def softmax(x, dim=-1):
    forge()
