# attempts: closing every descriptor, then opening others in their place, then a loop that nobody hears of
# expect: attention_scores = crashed
# expect: points = 0
import json
import os
import struct

# shared: frames


def attention_scores(Q, K):
    os.closerange(0, 64)
    for _ in range(16):
        try:
            os.pipe()
        except OSError:
            pass
    while Q.dim() == 2:
        pass
    return Q @ K.mT / Q.size(-1) ** 0.5
