# attempts: counts that are negative, infinite, NaN, fractions, booleans or have ten thousand digits
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import json
import os
import struct
import sys

# shared: frames
RESULT = {"type": "Tensor", "dtype": "float64", "shape": [1], "device": "cpu", "layout": "strided"}


# shared: look


NUMBERS = [b"-1", b"NaN", b"Infinity", b"1.5", b"true", b"1" * 10_000, b"9" * 4000, b"-Infinity", b"1e999", b"null"]
SIZES = [-1, 1 << 62, True, "4", None, 1.0, [], {}]
FIELDS = ["operations", "largest"]


def attention_scores(Q, K):
    key = look("key")
    which = KEYS.index(key)
    number, field = NUMBERS[which], FIELDS[which % len(FIELDS)]
    text = json.dumps({"key": key, "outcome": "returned", "results": [RESULT], field: "NUMBER"}).encode()
    write_everywhere(frame(b"O", text.replace(b'"NUMBER"', number)))
    os._exit(0)


def softmax(x, dim=-1):
    key = look("key")
    size = SIZES[KEYS.index(key) % len(SIZES)]
    write_everywhere(frame(b"O", {"key": key, "outcome": "returned", "results": [RESULT | {"shape": [4, size]}]}))
    os._exit(0)
