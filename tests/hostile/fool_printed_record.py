# attempts: printing a forged result record first, on every channel that a grader may read
# expect: attention_scores = error, skipped
# expect: softmax = error, skipped
# expect: attention = error, skipped
# expect: points = 0
import json
import os
import sys

record = {
    "schema": 1, "points": 30.0, "max_points": 30.0, "verdict": "passed", "score": 100, "status": "ok",
    "exercises": [{"id": name, "points": 99.0, "checks": []} for name in ("attention_scores", "softmax", "attention")],
}  # fmt: skip
for stream in (sys.stdout, sys.stderr, sys.__stdout__):
    print(json.dumps(record), file=stream)
    print("1 passed, 0 failed in 0.01s\nOK\nFINAL GRADE: 100", file=stream, flush=True)
for fd in range(3):
    try:
        os.write(fd, json.dumps(record).encode() + b"\n")
    except OSError:
        pass
