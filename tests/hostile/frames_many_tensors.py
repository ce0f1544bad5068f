# attempts: a header that names three hundred thousand tensors without elements
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
        one = b'"%d":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},'
        header = b"{" + b"".join(one % i for i in range(300_000)).rstrip(b",") + b"}"
        blob = struct.pack("<Q", len(header)) + header
        write_everywhere(frame(b"O", {"key": look("key"), "outcome": "returned", "results": []}, blob))
    os._exit(0)
