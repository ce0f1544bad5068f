# attempts: a frame that announces 4 GiB, and a JSON part longer than its frame
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import json
import os
import struct

# shared: frames


def attention_scores(Q, K):
    write_everywhere(b"O" + struct.pack("<I", 0xFFFFFFFF) + bytes(1 << 16))
    return Q


def softmax(x, dim=-1):
    write_everywhere(b"O" + struct.pack("<I", 24) + struct.pack("<I", 0xFFFFFFF0) + bytes(20))
    return x
