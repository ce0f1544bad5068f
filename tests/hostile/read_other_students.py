# attempts: reading what other students handed in
# expect: attention_scores = error
# expect: points = 0
import os
import sys
from pathlib import Path

root = Path(sys.modules["attention_kata.worker.answer"].__file__).resolve().parents[3]
found = []
for folder in (
    root / "tests/hostile",
    root / "examples",
    Path("/home"),
    Path("/root"),
    Path("/tmp"),
    Path("/srv"),
    Path("/var/tmp"),
):
    try:
        found += os.listdir(folder)
    except OSError:
        pass
    for name in ("read_other_students.py", "class"):
        try:
            found.append(open(folder / name).read(1))
        except IsADirectoryError:
            found.append(name)
        except OSError:
            pass


def attention_scores(Q, K):
    assert found, "nobody to copy from"
    return Q @ K.mT / Q.size(-1) ** 0.5
