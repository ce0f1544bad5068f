"""A submission as bytes: to be kept in a database, and hashed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from ..messages.said import as_text
from .submission import CellMap, Problem, Submission


def file_hash(submission: Submission) -> str:
    """A hash of everything that was handed in."""
    return hashlib.sha256(packed(submission)).hexdigest()


def packed(submission: Submission) -> bytes:
    """Everything that was handed in, as bytes that are equal for equal submissions."""
    problems = {name: msgspec.to_builtins(problem) for name, problem in submission.problems.items()}
    notebooks = {file: notebook.cells for file, notebook in submission.notebooks.items()}
    parts = {"files": dict(submission.files), "problems": problems, "notebooks": notebooks}
    return json.dumps(parts, sort_keys=True).encode()


def unpacked(data: bytes, name: str) -> Submission:
    """The submission that `packed` made `data` of."""
    parts = json.loads(data)
    problems = {file: _problem(problem) for file, problem in parts["problems"].items()}
    notebooks = {
        file: CellMap(tuple((cell, line) for cell, line in cells)) for file, cells in parts["notebooks"].items()
    }
    return Submission(name, parts["files"], problems=problems, notebooks=notebooks)


def _problem(packed: Mapping[str, Any]) -> Problem:
    """A problem as it was kept: as texts by release 0.1.0."""
    if isinstance(packed["message"], str):
        return Problem(as_text(packed["message"]), as_text(packed["hint"]), packed["line"])
    return msgspec.convert(packed, Problem)
