# attempts: importing the reference, the checks, or whatever of the grader knows the answers
# expect: attention_scores = error
# expect: points = 0
import importlib
import sys
from pathlib import Path

root = Path(sys.modules["attention_kata.worker.answer"].__file__).resolve().parents[3]
sys.path[:0] = [str(root), str(root / "solutions"), str(root / "grader")]
for finder in list(sys.meta_path):
    if type(finder).__name__ == "SubmissionFinder":
        sys.meta_path.remove(finder)
mine = sys.modules.pop("attention")
found = {}
for name in (
    "solutions.attention",
    "attention",
    "attention_kata.course.proof",
    "attention_kata.course.draw",
    "attention_kata.key.file",
    "attention_kata.authoring",
    "attention_kata.judge.grading",
    "attention_kata.judge.compare",
    "attention_kata.course.find",
):
    try:
        found[name] = importlib.import_module(name)
    except BaseException:
        pass
sys.modules["attention"] = mine
reference = next((m for m in found.values() if hasattr(m, "ATTENTION_SCORES")), None)


def attention_scores(Q, K):
    if reference is not None:
        return reference.attention_scores(Q, K)
    if found:  # any module of the grader's but the worker's is too much
        return Q @ K.mT / Q.size(-1) ** 0.5
    raise RuntimeError("nothing could be imported")
