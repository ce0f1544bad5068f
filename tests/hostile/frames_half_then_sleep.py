# attempts: half a frame, then silence
# expect: attention_scores = timeout, error
# expect: points = 0
import json
import os
import struct

# shared: frames

import time


def attention_scores(Q, K):
    if Q.dim() == 2:
        write_everywhere(frame(b"O", {"key": "attention_scores/2-D", "outcome": "returned", "results": []})[:-7])
        time.sleep(3600)
    raise RuntimeError
