"""Where the answer key of an nbgrader course is: in its folder, which students never get."""

from __future__ import annotations

from pathlib import Path

FOLDER = "kata"
SUFFIX = ".key.safetensors"


def key_path(course_dir: Path, assignment: str) -> Path:
    """The key of an assignment of the nbgrader course in `course_dir`."""
    return course_dir / FOLDER / f"{assignment}{SUFFIX}"


def find_key(folder: Path) -> Path | None:
    """The key for a folder `.../{step}/{student}/{assignment}` of a course, None where there is none above it."""
    folder = folder.resolve()
    found = (key_path(above, folder.name) for above in folder.parents)
    return next((path for path in found if path.is_file()), None)
