"""Verdicts turned into points, and the JSON object that every report is made from (schema 1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..intake.submission import CellMap
from ..key.model import AnswerKey, Exercise
from .diagnose import Verdict

SCHEMA = 1


@dataclass(frozen=True)
class ExerciseGrade:
    exercise: Exercise
    verdicts: tuple[Verdict, ...]
    line: int | None = None  # where the learner's function or class begins
    notebook: CellMap | None = None  # what the file was made of

    @property
    def points(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def passed(self) -> bool:
        return all(verdict.verdict == "passed" for verdict in self.verdicts)

    @property
    def not_started(self) -> bool:
        return self.verdicts[0].not_started


@dataclass(frozen=True)
class Grade:
    """The grade of one submission."""

    key: AnswerKey
    exercises: tuple[ExerciseGrade, ...]
    student: str | None = None
    output: str = ""
    isolation: Mapping[str, Any] | None = None
    fault: str = ""  # ours: why checks are ungradable

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def max_points(self) -> float:
        return float(sum(exercise.exercise.points for exercise in self.exercises))

    @property
    def passed(self) -> bool:
        return all(exercise.passed for exercise in self.exercises)


def as_json(grade: Grade) -> dict[str, Any]:
    """The object printed by `kata check --json`, and one of those written by `kata grade --json`."""
    return {
        "schema": SCHEMA,
        "course": {"id": grade.key.course, "version": grade.key.version},
        "student": grade.student,
        "points": grade.points,
        "max_points": grade.max_points,
        "exercises": [_exercise(exercise) for exercise in grade.exercises],
        "output": grade.output,
        "isolation": dict(grade.isolation or {}),
        **({"fault": grade.fault} if grade.fault else {}),
    }


def json_bytes(value: Any) -> bytes:
    """JSON as UTF-8.  What UTF-8 cannot hold, such as a byte of a folder's name, becomes a JSON escape."""
    return json.dumps(value, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace")


def class_json(submissions: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """One JSON object with the objects of `as_json` of a class, one after the other."""
    yield f'{{"schema": {SCHEMA}, "submissions": ['.encode()
    for number, submission in enumerate(submissions):
        yield (b",\n" if number else b"\n") + json_bytes(submission)
    yield b"\n]}\n"


def place(exercise: Mapping[str, Any], check: Mapping[str, Any]) -> str:
    """Where in the learner's work a check of the evidence points: a file and line, or a cell and line of a notebook."""
    where = f"cell {check['learner_cell']}" if "learner_cell" in check else str(exercise["file"])
    return f"{where}, line {check['learner_line']}" if check["learner_line"] else where


def _exercise(graded: ExerciseGrade) -> dict[str, Any]:
    return {
        "id": graded.exercise.name,
        "file": graded.exercise.file,
        "points": graded.points,
        "max_points": float(graded.exercise.points),
        "not_started": graded.not_started,
        "checks": [_check(verdict, graded) for verdict in graded.verdicts],
    }


def _message(text: str, graded: ExerciseGrade) -> str:
    """Where it names a line of a file that was made of a notebook, the cell: the learner has never seen that file."""
    notebook = graded.notebook
    if notebook is None:
        return text
    line = re.compile(rf"\b{re.escape(graded.exercise.file)}, line ([0-9]{{1,9}})\b")
    return line.sub(lambda found: "cell {}, line {}".format(*notebook.where(int(found[1]))), text)


def _check(verdict: Verdict, graded: ExerciseGrade) -> dict[str, Any]:
    own = verdict.line if verdict.file == graded.exercise.file else None  # the error may be in another file
    line = own or (graded.line if verdict.verdict != "passed" else None)
    cell = None
    if line is not None and graded.notebook is not None:
        cell, line = graded.notebook.where(line)
    return {
        "id": verdict.check.id,
        "category": verdict.check.category,
        "title": verdict.check.title,
        "verdict": verdict.verdict,
        "points": float(verdict.points),
        "max_points": float(verdict.check.points),
        "mistakes": list(verdict.mistakes),
        "confidence": verdict.confidence,
        "message": _message(verdict.message, graded),
        "hint": verdict.hint,
        "details": {"first_mismatch": verdict.evidence, "shape": verdict.shape, "heat": verdict.heat},
        "learner_line": line,
        **({"learner_cell": cell} if cell is not None else {}),
        "seconds": verdict.seconds,
    }
