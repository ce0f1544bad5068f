"""`kata grade` for a course that lives in nbgrader: the plain pipeline, with the key that the assignment has."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from ..notebook.keys import key_path
from ..startup import loading
from . import need_nbgrader
from .gradebook import GradebookError, Say, assignment_of, need_gradebook, write_gradebook

if TYPE_CHECKING:
    from ..gradebook.batch import Work
    from ..gradebook.grades import Grades
    from ..intake import Intake

KeyOf = Callable[["Grades"], Path | None]  # the key's file; None: the one that is kept, or a new one
Then = Callable[["Grades", "Work"], bool]  # what is done when all are graded -> whether all went well
Pipeline = Callable[[KeyOf, Then], int]  # -> the exit code


def grade(plain: Pipeline, intake: Intake, path: Path, gradebook: Path | None, key_file: Path | None, say: Say) -> int:
    """Grade as `plain` does, with the released key where no other is named, into `gradebook` where one is.

    What is wrong is said before anything is graded; `path` is where the submissions are.
    """
    if gradebook is not None:
        need_nbgrader()
        need_gradebook(gradebook)
    released = key_path((gradebook or path).absolute().parent, assignment_of(intake))

    def key_of(grades: Grades) -> Path | None:
        if gradebook is not None:
            Thread(target=_import).start()  # which takes a second, while something else goes on
        if key_file is not None or released.is_file():
            return key_file or released
        if gradebook is not None and grades.setting("key") is None:
            raise GradebookError(
                f"{released} does not exist: `kata release --nbgrader` creates it. Put it back, or use --key."
            )
        return None

    def then(grades: Grades, work: Work) -> bool:
        key = replace(work.key, exercises=tuple(work.exercises))
        return gradebook is None or write_gradebook(gradebook, grades, intake, key, say)

    return plain(key_of, then)


def _import() -> None:
    with suppress(Exception), loading():  # what fails is told by whoever needs it
        import nbgrader.api  # noqa: F401
