"""Grades into nbgrader's gradebook, as `nbgrader autograde` would leave it: scores, comments, times, penalties.

A score or a comment given by hand in nbgrader is never touched.  The notebooks in `autograded/` are written too,
without running a cell, so that formgrader, feedback and export go on from there.
"""

from __future__ import annotations

import sqlite3
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import KataError
from ..gradebook.late import LatePolicy
from ..gradebook.records import Status
from ..gradebook.standing import Standing, Terms, standings
from ..judge.evidence import ExerciseEvidence
from ..messages.render import INSTRUCTOR, render
from ..notebook.assignment import PARTS, grade_id, part_of
from ..notebook.html import in_text
from ..text import plain
from .autograded import cells_of, put_result, released, restore, write
from .restore import JsonCell

if TYPE_CHECKING:
    from ..gradebook.grades import Grades
    from ..intake import Attempt, Intake
    from ..key.model import AnswerKey

WIDTH = 100  # characters of a line in a comment
Say = Callable[[str], None]


class GradebookError(KataError):
    """A gradebook that cannot be written, in one line that says what to do."""


def assignment_of(intake: Intake) -> str:
    """The assignment that was handed in, which is the folder in the student's."""
    if intake.layout != "nbgrader":
        raise GradebookError("--gradebook goes with nbgrader's submitted/ folder: give that as PATH")
    return intake.attempts[0].origin.rpartition("/")[2]


def need_gradebook(gradebook: Path) -> None:
    """GradebookError where there is none: nbgrader itself would make one, and its tables in any database."""
    if not gradebook.is_file():
        raise GradebookError(f"{gradebook} does not exist: `nbgrader generate_assignment` creates it")
    try:
        with closing(sqlite3.connect(f"{gradebook.absolute().as_uri()}?mode=ro", uri=True)) as book:
            tables = {name for (name,) in book.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        tables = set()
    if "submitted_assignment" not in tables:
        raise GradebookError(f"{gradebook} is not an nbgrader gradebook: name one with --gradebook")


def write_gradebook(gradebook: Path, grades: Grades, intake: Intake, key: AnswerKey, say: Say) -> bool:
    """Write the standing of everybody who handed in -> whether all could be written.

    `say` takes a line for whatever was not as it should be.
    """
    need_gradebook(gradebook)
    from sqlalchemy.exc import SQLAlchemyError

    assignment = assignment_of(intake)
    attempts = {attempt.student: attempt for attempt in intake.attempts}  # the last one counts
    with _opened(gradebook) as book:
        writer = _Writer(book, gradebook.absolute().parent, assignment, key, Terms.of(grades), say)
        for row in (row for row in standings(grades) if row.id in attempts):
            try:
                writer.student(row, attempts.pop(row.id))
                book.db.commit()
            except (KataError, SQLAlchemyError):  # of the course's folder, or of the gradebook
                raise
            except Exception as error:  # whatever one notebook holds, the class goes on
                book.db.rollback()
                writer.failed += 1
                say(f"{plain(row.id)}: could not be written: {type(error).__name__}: {error}")
    for student in attempts:
        say(f"{plain(student)}: nothing was written: nobody of that name was graded; without --roster, names are kept")
    if writer.added:
        say(f"new in the gradebook: {', '.join(writer.added)}")
    say(f"{writer.written} students are in {gradebook}: nbgrader export, generate_feedback and formgrader go on there.")
    return not writer.failed


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from nbgrader.api import Gradebook
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with Gradebook(f"sqlite:///{path.absolute()}") as book, book.db.no_autoflush:
            book.db().expire_on_commit = False  # nobody else writes what is read here once
            yield book
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise GradebookError(f"{path}: {reason}. Nothing graded is lost: run the same command again") from None


class _Writer:
    """Everything about one assignment that is the same for all students."""

    def __init__(self, book: Any, course_dir: Path, assignment: str, key: AnswerKey, terms: Terms, say: Say):
        from nbgrader.api import MissingEntry

        self.book, self.course_dir, self.assignment, self.terms, self.say = book, course_dir, assignment, terms, say
        self.written = self.failed = 0
        self.added: list[str] = []  # students whom the gradebook did not know
        try:
            found = book.find_assignment(assignment)
        except MissingEntry:
            raise GradebookError(
                f"the gradebook has no assignment {assignment!r}: run nbgrader generate_assignment {assignment} first"
            ) from None
        self.notebooks = [released(notebook) for notebook in found.notebooks]
        self.kept = [[*n.grade_cells, *n.solution_cells, *n.task_cells] for n in found.notebooks]  # or read again
        self.exercises = [exercise.name for exercise in key.exercises]
        self.cells = {grade_id(name, part): (name, part) for name in self.exercises for part in PARTS}
        self._fits(key)

    def _fits(self, key: AnswerKey) -> None:
        """Every point must find its cell."""
        room = {s.id: s.points or 0.0 for notebook in self.notebooks for s in notebook.sources if s.grade}
        for exercise in key.exercises:
            for part in PARTS:
                most = sum(check.points for check in exercise.checks if part_of(check.category) == part)
                id = grade_id(exercise.name, part)
                if most > room.get(id, 0.0) + 1e-9:
                    have = f"gives {room[id]:g}" if id in room else "is not in the gradebook"
                    raise GradebookError(
                        f"the cell {id} {have} where {most:g} points can be earned: run `kata release --nbgrader`, "
                        f"then nbgrader generate_assignment {self.assignment}, with the exercises that are graded"
                    )

    # ------------------------------------------------------------------ one student

    def student(self, row: Standing, attempt: Attempt) -> None:
        """Scores, comments, time and penalty of one student; of whom nothing could be graded, a line."""
        say = self._teller(row)
        if row.status is not Status.GRADED:
            why = render(row.student.problem, INSTRUCTOR) or (
                row.status if row.status is not Status.UNGRADABLE else "could not be graded: run it again"
            )
            say(f"nothing was written: {why}{self._still(row)}")
            return
        submission = self._submission(row)
        exercises = {exercise.id: exercise for exercise in row.exercises}
        for notebook in submission.notebooks:
            shown = self._show(row, attempt, notebook.name, exercises, say)
            self._scores(row, notebook, exercises, shown, say)
            self._comments(notebook, exercises)
            before, penalty = notebook.late_submission_penalty, self._penalty(row, submission, notebook)
            if before and not penalty:
                say(f"the late penalty of {before:g} is removed: `kata due` shows what is set here")
            notebook.late_submission_penalty = penalty
        whole = (row.adjustments or {}).get(("", ""))
        if whole is not None and whole.points is not None:
            say(f"{whole.points:g} points for the whole submission, given by hand, have no cell: use formgrader")
        self.written += 1

    def _still(self, row: Standing) -> str:
        """What the gradebook holds of an earlier attempt; it is the instructor's to take it out."""
        from nbgrader.api import MissingEntry

        with suppress(MissingEntry):
            score = self.book.find_submission(self.assignment, row.id).score
            return f"; the gradebook still holds {score:g} points of an earlier attempt" if score else ""
        return ""

    def _teller(self, row: Standing) -> Say:
        return lambda line: self.say(f"{plain(row.id)}: {line}")

    def _submission(self, row: Standing) -> Any:
        from nbgrader.api import MissingEntry

        try:
            self.book.find_student(row.id)
        except MissingEntry:
            first, _, last = row.student.name.rpartition(" ")
            self.book.add_student(
                row.id, first_name=first or None, last_name=last or None, email=row.student.email or None
            )
            self.added.append(plain(row.id))
        facts = {"timestamp": row.handed_in.replace(tzinfo=None).isoformat(" ")} if row.handed_in else {}
        return self.book.update_or_create_submission(self.assignment, row.id, **facts)

    def _scores(
        self, row: Standing, notebook: Any, exercises: Mapping[str, Any], shown: Mapping[str, Any], say: Say
    ) -> None:
        from nbformat import from_dict
        from nbgrader.utils import determine_grade

        for grade in notebook.grades:
            ours = True
            if grade.cell.name in self.cells:
                name, part = self.cells[grade.cell.name]
                grade.auto_score = _points(row, exercises[name], part) if name in exercises else None
            elif grade.cell.name in shown and shown[grade.cell.name]["metadata"]["nbgrader"]["solution"]:
                cell = from_dict(shown[grade.cell.name])
                grade.auto_score = determine_grade(cell)[0]  # zero where nothing was written
            else:
                ours = False
                kept = "" if grade.auto_score is None else f"; it keeps the {grade.auto_score:g} points it has"
                say(
                    f"{grade.cell.name} is a cell of yours, that only nbgrader autograde can run: "
                    f"grade it by hand{kept}"
                )
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None or not ours

    def _comments(self, notebook: Any, exercises: Mapping[str, Any]) -> None:
        for comment in notebook.comments:
            exercise = exercises.get(comment.cell.name)
            if exercise is not None:
                comment.auto_comment = None if exercise.points == exercise.max_points else comment_of(exercise)

    def _penalty(self, row: Standing, submission: Any, notebook: Any) -> float | None:
        """By `kata due`; where it was never set, its policy meets the gradebook's own due date."""
        fraction = row.penalty
        if self.terms.due is None and self.terms.policy != LatePolicy():
            fraction = self.terms.policy.penalty(submission.total_seconds_late)
        if not fraction:
            return None
        score = sum(
            ((g.auto_score or 0.0) if g.manual_score is None else g.manual_score) + (g.extra_credit or 0.0)
            for g in notebook.grades
        )
        return float(round(score * fraction, 6))

    # ------------------------------------------------------------------ the notebook in autograded/

    def _show(
        self, row: Standing, attempt: Attempt, name: str, exercises: Mapping[str, Any], say: Say
    ) -> dict[str, JsonCell]:
        """Write the notebook with what was found in its check cells -> its cells by id."""
        whole = restore(attempt.tree, name, self.notebooks, self.exercises, say)
        cells = cells_of(whole)
        for id, cell in cells.items():
            exercise, part = self.cells.get(id, ("", ""))
            if exercise in exercises:
                put_result(cell, exercises[exercise], _points(row, exercises[exercise], part))
        folder = self.course_dir / "autograded" / row.id / self.assignment
        try:
            if whole is not None:
                write(folder, name, whole, row)
        except OSError as error:
            raise GradebookError(f"{error.filename or folder} cannot be written: {error.strerror}") from None
        return cells


def comment_of(exercise: ExerciseEvidence) -> str:
    """What was found, as a block of code: nbgrader makes HTML of comments, and takes what students wrote for some."""
    text = in_text(exercise).replace("`", "'")
    lines = [
        part for line in text.splitlines() for part in textwrap.wrap(line, WIDTH, subsequent_indent="    ") or [""]
    ]
    return "\n".join(["```", *lines, "```"])


def _points(row: Standing, exercise: ExerciseEvidence, part: str) -> float:
    """What a cell gives, decisions by hand included."""
    own = [check for check in exercise.checks if part_of(check.category) == part]
    return round(sum(row.check_points(exercise.id, check) for check in own), 6)
