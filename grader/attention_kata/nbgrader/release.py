"""A source assignment for nbgrader: one notebook with every exercise's prompt, answer, and two graded cells.

What is graded is the text of the notebook, by the answer key in the course's folder `kata/`, which holds the
exercises of this assignment and no others.  nbgrader's own commands then make the learners' version.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..course.find import Course
from ..errors import KataError
from ..files import write_whole
from ..key.file import key_bytes
from ..key.model import AnswerKey, Exercise
from ..notebook.assignment import grade_id, share
from ..notebook.keys import FOLDER, key_path
from .answers import Text, answer

CONFIG = """# What nbgrader should know about this course; see `nbgrader --help-all` for the rest.
c = get_config()
c.CourseDirectory.course_id = "{course}"
c.ExecutePreprocessor.timeout = 900  # the first check cell of a notebook waits until all of it is judged
"""
SETUP = """Run all cells from the top. Write your answers where the cells say so; add cells of your own as you like.

Each check shows what is right and what is not, with points. In any cell: `%kata list`, `%kata hint softmax`.
If the package `attention_kata` is missing: `%pip install attention-kata`, then restart the kernel."""
LOAD = "%load_ext attention_kata"
CHECK = """import attention_kata.notebook as _kata

_kata.check({name!r})"""
HIDDEN = """# More checks of {name}, with other numbers, are run here when your work is graded.
### BEGIN HIDDEN TESTS
import attention_kata.notebook as _kata

_kata.hidden({name!r})
### END HIDDEN TESTS"""


class ReleaseError(KataError):
    """An assignment that cannot be written, in one line that says what to do."""


def notebook_of(course: Course, exercises: tuple[Exercise, ...], title: str) -> Any:
    """The source notebook (nbformat 4) of `exercises`."""
    from nbformat.v4 import new_notebook

    if course.solutions_path is None:
        raise ReleaseError("this needs the course's solutions: run it in a checkout, or name one with --course DIR")
    cells: list[Any] = []
    imports: list[str] = []
    topic = ""
    for exercise in exercises:
        stub, solutions = (Text(_read(folder / exercise.file)) for folder in (course.exercises, course.solutions_path))
        if exercise.file != topic:
            topic = exercise.file
            cells.append(_markdown(f"## {topic.removesuffix('.py')}\n\n{_block(stub.docstring)}"))
        made = answer(stub, solutions, exercise.name)
        imports += made.imports
        cells += _exercise(exercise, made.prompt, made.cell)
    first = [_markdown(f"# {title}\n\n{SETUP}"), _code(f"{LOAD}\n\n" + "\n".join(dict.fromkeys(imports)))]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=first + cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def _exercise(exercise: Exercise, prompt: str, text: str) -> list[Any]:
    """Prompt (locked), answer, visible check, hidden check; a check cell without points is left out."""
    name = exercise.name
    shown = f"### {name} ({exercise.points:g} points)\n\n{_block(prompt)}"
    cells = [
        _markdown(shown, _marks(grade_id(name, "prompt"), locked=True)),
        _code(text, _marks(grade_id(name), solution=True)),
    ]
    for part, source in (("check", CHECK), ("hidden", HIDDEN)):
        points = share(((check.category, check.points) for check in exercise.checks), part)
        if points:
            marks = _marks(grade_id(name, part), grade=True, locked=True) | {"points": points}
            cells.append(_code(source.format(name=name), marks))
    return cells


def _marks(id: str, *, grade: bool = False, locked: bool = False, solution: bool = False) -> dict[str, Any]:
    """nbgrader's metadata of a cell, schema 3."""
    return {
        "schema_version": 3,
        "grade_id": id,
        "grade": grade,
        "locked": locked,
        "solution": solution,
        "task": False,
    }


def _markdown(source: str, marks: dict[str, Any] | None = None) -> Any:
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(source, metadata={"nbgrader": marks} if marks else {})


def _code(source: str, marks: dict[str, Any] | None = None) -> Any:
    from nbformat.v4 import new_code_cell

    return new_code_cell(source, metadata={"nbgrader": marks} if marks else {})


def _block(text: str) -> str:
    """A docstring as it was written: its formulas and shapes are aligned."""
    return f"```text\n{text}\n```" if text else ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReleaseError(f"{path} cannot be read: {error.strerror}") from None


# ---------------------------------------------------------------------- in the course's folder


def only(key: AnswerKey, exercises: tuple[Exercise, ...]) -> AnswerKey:
    """The part of a key that an assignment needs."""
    return replace(key, exercises=exercises)


def write_assignment(course_dir: Path, assignment: str, notebook: Any, key: AnswerKey) -> list[Path]:
    """Write the notebook, the key, and nbgrader's configuration where there is none -> what was written."""
    import nbformat

    source = course_dir / "source" / assignment / f"{assignment}.ipynb"
    config = course_dir / "nbgrader_config.py"
    written = [source, key_path(course_dir, assignment)]
    try:
        source.parent.mkdir(parents=True, exist_ok=True)
        (course_dir / FOLDER).mkdir(mode=0o700, exist_ok=True)
        write_whole(source, [nbformat.writes(notebook), "\n"])
        write_whole(written[1], [key_bytes(key)], 0o600)
        if not config.exists():
            write_whole(config, [CONFIG.format(course=key.course)])
            written.append(config)
    except OSError as error:
        raise ReleaseError(f"{error.filename or course_dir} cannot be written: {error.strerror}.") from None
    return written
