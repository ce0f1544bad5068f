# attempts: an observation that says it raised, without saying what
# expect: attention_scores = crashed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames


# shared: look


def attention_scores(Q, K):
    for key in keys_of("attention_scores"):
        write_everywhere(frame(b"O", {"key": key, "outcome": "raised"}))
    os._exit(0)
