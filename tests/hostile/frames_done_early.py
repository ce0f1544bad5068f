# attempts: DONE before anything was observed
# expect: attention_scores = crashed, skipped
# expect: softmax = crashed, skipped
# expect: attention = crashed, skipped
# expect: points = 0
import json
import os
import struct

# shared: frames

write_everywhere(IMPORTED + frame(b"D", {}) + frame(b"D", {"points": 30, "verdict": "passed"}))
os._exit(0)
