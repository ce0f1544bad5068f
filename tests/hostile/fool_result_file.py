# attempts: leaving a result file wherever a grader may look for one
# expect: attention_scores = error
# expect: points = 0
import json
import os
import sys
from pathlib import Path

root = Path(sys.modules["attention_kata.worker.answer"].__file__).resolve().parents[3]
written = 0
for folder in (
    ".",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/autograder/results",
    os.path.expanduser("~"),
    str(root),
    str(root / "tests"),
):
    for name in ("kata-hostile-results.json", "kata-hostile-report.xml", "kata-hostile-grades.csv"):
        try:
            Path(folder, name).write_text(json.dumps({"score": 100}))
            written += 1
        except OSError:
            pass


def attention_scores(Q, K):
    if written:
        return Q @ K.mT / Q.size(-1) ** 0.5
    raise RuntimeError("no folder could be written to")
