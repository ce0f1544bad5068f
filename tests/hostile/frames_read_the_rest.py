# attempts: reading on its descriptors for something that the trusted side still sends
# expect: attention_scores = timeout, error
# expect: points = 0
import json
import os
import struct

# shared: frames


def attention_scores(Q, K):
    answers = b""
    while Q.dim() == 2 and b"expected" not in answers:
        for fd in range(3, 8):
            try:
                answers += os.read(fd, 1 << 16)
            except OSError:
                pass
    assert answers, "nothing more was sent"
    return Q @ K.mT / Q.size(-1) ** 0.5
