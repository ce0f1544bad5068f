# attempts: observations of other exercises, of no exercise, of cases done before, and reports on other files
# expect: attention_scores = crashed, skipped
# expect: softmax = crashed, skipped
# expect: attention = crashed, skipped
# expect: points = 0
import json
import os
import struct

# shared: frames

write_everywhere(frame(b"M", {"file": "../solutions/attention.py", "untouched": []}))
for key in ("softmax/rows", "attention_scores/4-D/", "", "attention_scores", "multihead/values", "__class__/__init__"):
    write_everywhere(frame(b"O", {"key": key, "outcome": "returned", "results": []}))
