# attempts: sending JOB and CASES frames, as if it were the trusted side
# expect: attention_scores = crashed, skipped
# expect: softmax = crashed, skipped
# expect: attention = crashed, skipped
# expect: points = 0
import json
import os
import struct

# shared: frames

write_everywhere(frame(b"J", {"files": {}, "topics": [], "limits": {}, "exercises": 0, "skip": []}))
write_everywhere(frame(b"C", {"exercise": "attention_scores", "file": "attention.py", "cases": []}))
