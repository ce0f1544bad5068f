# attempts: reading the solutions and learning from them
# expect: attention_scores = error
# expect: points = 0
import sys
from pathlib import Path

root = Path(sys.modules["attention_kata.worker.answer"].__file__).resolve().parents[3]
text = ""
for path in (
    root / "solutions" / "attention.py",
    root / "tests/answers/right/articles/attention.py",
    root / "grader/attention_kata/draw.py",
):
    try:
        text += path.read_text()
    except OSError:
        pass


def attention_scores(Q, K):
    assert text, "nothing could be read"
    return Q @ K.mT / Q.size(-1) ** 0.5
