"""What a worker is handed of an exercise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .worker.frames import CASES, pack

if TYPE_CHECKING:
    from .model import DrawnCase


def cases_frame(exercise: str, file: str, cases: Iterable[DrawnCase]) -> bytes:
    """The scripts and inputs of an exercise's cases."""
    scripts = [{"id": case.id, "script": case.script, "arrays": list(case.arrays)} for case in cases]
    arrays = {f"{case.id}/{name}": array for case in cases for name, array in case.arrays.items()}
    return pack(CASES, {"exercise": exercise, "file": file, "cases": scripts}, arrays)
