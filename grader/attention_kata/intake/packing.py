"""A submission as bytes: to be kept in a database, and hashed."""

from __future__ import annotations

import hashlib
import json

from .submission import CellMap, Problem, Submission


def file_hash(submission: Submission) -> str:
    """A hash of everything that was handed in."""
    return hashlib.sha256(packed(submission)).hexdigest()


def packed(submission: Submission) -> bytes:
    """Everything that was handed in, as bytes that are equal for equal submissions."""
    problems = {name: vars(problem) for name, problem in submission.problems.items()}
    notebooks = {file: notebook.cells for file, notebook in submission.notebooks.items()}
    parts = {"files": dict(submission.files), "problems": problems, "notebooks": notebooks}
    return json.dumps(parts, sort_keys=True).encode()


def unpacked(data: bytes, name: str) -> Submission:
    """The submission that `packed` made `data` of."""
    parts = json.loads(data)
    problems = {file: Problem(**problem) for file, problem in parts["problems"].items()}
    notebooks = {
        file: CellMap(tuple((cell, line) for cell, line in cells)) for file, cells in parts["notebooks"].items()
    }
    return Submission(name, parts["files"], problems=problems, notebooks=notebooks)
