"""What the check cells of an nbgrader assignment call: they show what was found, and end in a number of points.

nbgrader takes that number for the cell's points; an error, and any line on standard error, would be a zero.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..judge.evidence import Evidence, from_json
from .assignment import points
from .client import Client
from .html import brief, full
from .shell import executed_cells, show

CLIENT = Client()
EXECUTION = "NBGRADER_EXECUTION"  # nbgrader says in it that it runs a notebook, and what for


class CouldNotCheck(Exception):
    """It is not known whether an answer is right; the message says why."""


def check(exercise: str) -> float:
    """The visible check cell of `exercise`: everything that was found, as HTML; its share of the points."""
    return _points(exercise, "check")


def hidden(exercise: str) -> float:
    """The hidden check cell: what was found, without the numbers of the secret key; its share of the points."""
    return _points(exercise, "hidden")


def evidence_of(exercise: str, *more: str) -> Evidence:
    """What is found about the cells run so far, and `more` ones."""
    return _evidence({"cells": [*executed_cells(), *more], "exercise": exercise})


def _points(exercise: str, part: str) -> float:
    execution = os.environ.get(EXECUTION, "")
    try:
        if execution:
            found = _evidence({"folder": str(Path.cwd()), "secret": execution == "autograde"})
        else:
            found = evidence_of(exercise)
        own = next((e for e in found.exercises if e.id == exercise), None)
        if own is None:
            raise CouldNotCheck(f"the answer key has no exercise {exercise!r}")
    except CouldNotCheck as problem:
        if execution == "autograde":
            _end_kernel(str(problem))
        raise
    show(full(found, own) if part == "check" else brief(own))
    return points(own.checks, part)


def _evidence(request: Mapping[str, Any]) -> Evidence:
    answer = CLIENT.ask(dict(request))
    if "problem" in answer:
        raise CouldNotCheck(str(answer["problem"]))
    evidence = from_json(answer["evidence"])
    if evidence.fault:
        raise CouldNotCheck(evidence.fault)
    return evidence


def _end_kernel(problem: str) -> None:
    """A fault of ours must not become a zero: without its kernel, nbgrader reports this student as not graded."""
    print(f"kata: could not be graded: {problem}", file=sys.__stderr__, flush=True)
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
