# attempts: noise instead of frames
# expect: attention_scores = crashed, timeout
# expect: softmax = crashed, timeout
# expect: points = 0
import json
import os
import struct

# shared: frames


def attention_scores(Q, K):
    write_everywhere(os.urandom(4096))
    os._exit(0)


def softmax(x, dim=-1):
    write_everywhere(b"O" + struct.pack("<I", 2000) + os.urandom(2000))
    os._exit(0)
