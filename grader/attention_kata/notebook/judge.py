"""`python -m attention_kata.notebook.judge`: judges what a notebook defines, in a process beside its kernel.

A line of JSON asks, a line of JSON answers, until standard input ends.  A request names a folder, in which
whatever a student handed in lies, or brings the cells that a kernel has run; the answer is `evidence`, the
object of `kata check --json`, or a `problem` in words.  One worker process stays warm between requests.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import structs

from ..course.find import find_course
from ..errors import KataError
from ..gradebook.batch import Work
from ..intake.notebooks.parse import Cell
from ..intake.packing import file_hash
from ..intake.reading import read_answers, read_cells
from ..intake.submission import Submission
from ..intake.tree import Folder
from ..judge.evidence import CheckEvidence, Details, Evidence, to_json
from ..judge.score import evidence_of
from ..key.file import check_torch, load_key
from ..key.model import AnswerKey, Exercise
from ..sandbox.fresh import Workers, fresh_workers
from ..sandbox.layers import sandbox_exists
from ..sandbox.session import Limits
from ..sandbox.zygote import confined_workers
from .keys import find_key

NOTEBOOK = "this notebook.ipynb"


class Judge:
    """What is asked for is judged once: a notebook's check cells all ask about the same text."""

    def __init__(self, workers: Workers):
        self.workers = workers
        self.known: dict[tuple[str, int, tuple[str, ...]], Evidence] = {}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            if "folder" in request:
                found = self._folder(Path(request["folder"]), bool(request["secret"]))
            else:
                found = self._cells(request["cells"], request["exercise"])
            return {"evidence": to_json(found)}
        except KataError as error:
            return {"problem": str(error)}
        except Exception as error:  # the kernel is waiting for an answer
            return {"problem": f"{type(error).__name__}: {error}"[:500]}

    def _folder(self, folder: Path, secret: bool) -> Evidence:
        """All exercises of an assignment, as `kata grade` judges the same files with the same key."""
        path = find_key(folder)
        if path is None and secret:
            raise KataError(
                f"there is no answer key for {folder.name} above {folder}: `kata release --nbgrader` creates it"
            )
        key = _key(path or find_course().public_key)
        submission = read_answers(Folder(folder), key.files, _homes(key), "")
        found = self._judge(key, key.exercises, submission)
        return found if path is None else _without_numbers(found)

    def _cells(self, cells: Sequence[str], name: str) -> Evidence:
        """One exercise, with whatever the cells that have been run define."""
        key = _key(find_course().public_key)
        exercises = [exercise for exercise in key.exercises if exercise.name == name]
        if not exercises:
            raise KataError(f"there is no exercise {name!r}: `%kata list` shows them all")
        topics = tuple(exercise.file for exercise in exercises)
        submission = read_cells([Cell("code", cell) for cell in cells], NOTEBOOK, topics, _homes(key))
        return self._judge(key, exercises, submission)

    def _judge(self, key: AnswerKey, exercises: Sequence[Exercise], submission: Submission) -> Evidence:
        work = Work(
            key=key,
            key_id="",
            exercises=exercises,
            limits=Limits(),
            mode="full" if sandbox_exists() else "process",
            workers=self.workers,
        )
        asked = (file_hash(submission), id(key), tuple(exercise.name for exercise in exercises))  # keys are kept
        if asked not in self.known:
            evidence = evidence_of(work.grade(submission, ""))
            if evidence.fault:
                return evidence
            self.known[asked] = evidence
        return self.known[asked]


def _homes(key: AnswerKey) -> dict[str, str]:
    """The topic file of each exercise."""
    return {exercise.name: exercise.file for exercise in key.exercises}


def _without_numbers(evidence: Evidence) -> Evidence:
    """The evidence without what a secret key asks and expects: the kernel that wants it is the student's."""
    voice = evidence.for_student()

    def blind(check: CheckEvidence) -> CheckEvidence:
        return structs.replace(
            check,
            message=check.told(voice),
            hint=check.asked(voice),
            details=Details(),
            learner_line=check.public_line,
            elsewhere=None,
            said=None,
        )

    exercises = (
        structs.replace(exercise, checks=tuple(map(blind, exercise.checks))) for exercise in evidence.exercises
    )
    return structs.replace(evidence, exercises=tuple(exercises), output="")


@cache
def _key(path: Path) -> AnswerKey:
    key = load_key(path)
    check_torch(key, str(path))
    return key


def main() -> None:
    with suppress(BrokenPipeError, KeyboardInterrupt):
        replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # nothing else gets between the replies
        with confined_workers() if sandbox_exists() else fresh_workers() as workers:
            judge = Judge(workers)
            for line in sys.stdin:
                print(json.dumps(judge.answer(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
