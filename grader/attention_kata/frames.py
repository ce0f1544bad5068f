"""Frames for a worker, as attention_kata.worker.frames reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save

if TYPE_CHECKING:
    from .model import Array, DrawnCase

JOB = b"J"  # what to run, and how many frames of cases follow
CASES = b"C"  # the cases of one exercise


def frame(kind: bytes, meta: Any, arrays: Mapping[str, Array] | None = None) -> bytes:
    """A frame as attention_kata.worker.frames reads it."""
    text = json.dumps(meta).encode()
    blob = save({name: np.ascontiguousarray(array) for name, array in (arrays or {}).items()})
    payload = len(text).to_bytes(4, "little") + text + blob
    return kind + len(payload).to_bytes(4, "little") + payload


def cases_frame(exercise: str, file: str, cases: Iterable[DrawnCase]) -> bytes:
    """The scripts and inputs of an exercise's cases."""
    scripts = [{"id": case.id, "script": case.script, "arrays": list(case.arrays)} for case in cases]
    arrays = {f"{case.id}/{name}": array for case in cases for name, array in case.arrays.items()}
    return frame(CASES, {"exercise": exercise, "file": file, "cases": scripts}, arrays)
