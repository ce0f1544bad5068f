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
# shared: modules
found = None
for name in MODULES:  # any of them is too much
    try:
        found = importlib.import_module(name)
        break
    except BaseException:
        pass
sys.modules["attention"] = mine


def attention_scores(Q, K):
    if hasattr(found, "ATTENTION_SCORES"):
        return found.attention_scores(Q, K)
    if found is not None:
        return Q @ K.mT / Q.size(-1) ** 0.5
    raise RuntimeError("nothing could be imported")
