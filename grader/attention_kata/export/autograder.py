"""What runs in Gradescope's container: grades one submission, and always leaves a result behind.

    python -m attention_kata.export.autograder /autograder

The submission runs confined, as another user where this one is root.  The key is readable by root alone, and what
confines a submission must keep it from the key: else nothing is run.  What is our fault gives a result without a
score, never a zero.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..files import replace_file
from ..gradebook.records import Status, Student
from ..gradebook.standing import Standing
from ..intake.submission import read_submission
from ..judge.grading import grade
from ..judge.score import evidence_of
from ..key.file import load_key
from ..sandbox.fresh import Workers
from ..sandbox.layers import REQUIRED, missing
from ..sandbox.session import Limits
from ..sandbox.start import report_of
from ..sandbox.workers import EngineError
from ..sandbox.zygote import confined_workers
from .gradescope import results
from .objects import json_text
from .package import KEY
from .request import of_evidence

LIMITS = Limits(seconds=2.0, hurried_seconds=0.5)  # a submission in which every call hangs ends within minutes
BUDGET_SECONDS = 480.0  # Gradescope gives ten minutes and then a zero
MAX_DEPTH = 3


def main(root: Path) -> None:
    """Grade root/submission with root/source/key.safetensors; what is printed is for the instructor alone."""
    try:
        row = graded(root)
    except Exception:  # whatever it is, it is not the student's fault
        traceback.print_exc(file=sys.stdout)
        row = Standing(student=Student(id="submission"), status=Status.UNGRADABLE, max_points=0.0)
    target = root / "results" / "results.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, [json_text(results(row), indent=1)])


def graded(root: Path) -> Standing:
    """The standing of the submission; EngineError when it cannot be run safely here."""
    key_file = root / "source" / KEY
    _close(key_file)
    key = load_key(key_file)
    submission = read_submission(_folder(root / "submission", key.files), key.files, "submission")
    with confined_workers(required_here()) as workers, _within(BUDGET_SECONDS, workers):
        result = grade(submission, key, key.exercises, LIMITS, workers)
    print("isolation:", ", ".join(f"{layer} {state}" for layer, state in (result.isolation or {}).items()))
    if result.fault:
        print("fault:", result.fault)
    return of_evidence(evidence_of(result))


def required_here() -> tuple[str, ...]:
    """The layers without which nothing is run; EngineError when this container cannot have them."""
    with confined_workers() as workers:
        report = report_of(workers)
    required = needed(report)
    off = missing(report, required)
    if off:
        raise EngineError(f"this container cannot confine submissions: {', '.join(off)}")
    return required


def needed(report: Mapping[str, str]) -> tuple[str, ...]:
    """Everything; but a container without Landlock keeps the key from a submission that has a uid of its own.

    Only where that uid comes without any right of root's, such as the one to enter closed folders.
    """
    other_user = report.get("user") == "on"
    return tuple(layer for layer in REQUIRED if not (layer == "files" and other_user))


def _close(key_file: Path) -> None:
    if os.geteuid() == 0:
        os.chown(key_file, 0, 0)
    key_file.chmod(0o600)


def _folder(folder: Path, files: Sequence[str], depth: int = 0) -> Path:
    """Where the files are: in the folder itself, or in the first one below that has any, as after unpacking a zip."""
    if depth == MAX_DEPTH or any((folder / file).exists() for file in files):
        return folder
    for below in sorted(folder.iterdir()):
        if below.is_dir() and not below.is_symlink() and not below.name.startswith((".", "__")):
            found = _folder(below, files, depth + 1)
            if any((found / file).exists() for file in files):
                return found
    return folder


@contextmanager
def _within(seconds: float, workers: Workers) -> Iterator[None]:
    """Stop all workers when the time is over: then the grade has a fault, and no score."""
    timer = threading.Timer(seconds, workers.stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
