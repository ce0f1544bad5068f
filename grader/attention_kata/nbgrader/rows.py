"""What nbgrader's gradebook holds, as the rows that every export is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from typing import Any

from ..export.request import BadExport
from ..gradebook.records import Adjustment, Identity, Result, Status, Student, now
from ..gradebook.standing import Standing
from ..judge.evidence import (
    SCHEMA,
    CheckEvidence,
    CourseVersion,
    Details,
    Evidence,
    ExerciseEvidence,
    VerdictKind,
)
from ..judge.recognise import Confidence
from ..key.model import Category
from ..notebook.assignment import PARTS, grade_id


def rows_of(
    book: Any, assignment: str, students: Sequence[str], handed_in: Callable[[str], bool]
) -> Iterator[Standing]:
    """Everybody in the gradebook, or these `students`, in the order of their ids.

    `handed_in` says whether there are files of a student.
    """
    found = {submission.student_id: submission for submission in book.assignment_submissions(assignment)}
    most = float(book.find_assignment(assignment).max_score)
    for person in sorted(book.students, key=lambda person: person.id):
        if not students or person.id in students:
            yield _row(person, found.get(person.id), most, Status.WAITING if handed_in(person.id) else Status.MISSING)


def the_assignment(book: Any, wanted: Sequence[str]) -> str:
    """The one assignment that is exported; BadExport when it is not clear which."""
    names = [assignment.name for assignment in book.assignments]
    chosen = list(wanted) or names
    if len(chosen) != 1 or chosen[0] not in names:
        raise BadExport(f"an export covers one assignment: --assignment '[\"NAME\"]' takes one of {', '.join(names)}")
    return chosen[0]


def _row(person: Any, submission: Any, most: float, status: Status) -> Standing:
    """`status` is that of somebody of whom the gradebook has no submission."""
    roster = {
        "student_id": person.id,
        "first_name": person.first_name or "",
        "last_name": person.last_name or "",
        "email": person.email or "",
        "lms_user_id": person.lms_user_id or "",
    }
    name = " ".join(filter(None, (roster["first_name"], roster["last_name"])))
    student = Student(id=person.id, name=name, email=roster["email"], roster=roster)
    if submission is None:
        return Standing(student=student, status=status, max_points=most)
    handed_in = submission.timestamp.replace(tzinfo=UTC) if submission.timestamp else None
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    if any(grade.auto_score is None and grade.manual_score is None for grade in grades):
        return Standing(student=student, status=Status.WAITING, max_points=most, handed_in=handed_in)
    before, lost = float(submission.score), float(submission.late_submission_penalty or 0.0)
    exercises = _exercises(submission, grades)
    evidence = Evidence(
        schema=SCHEMA,
        course=CourseVersion("", ""),
        student=person.id,
        points=before,
        max_points=most,
        exercises=tuple(exercises),
        output="",
        isolation={},
    )
    return Standing(
        student=student,
        status=Status.GRADED,
        max_points=most,
        automatic=float(sum(grade.auto_score or 0.0 for grade in grades)),
        before_late=before,
        points=max(0.0, round(before - lost, 6)),
        handed_in=handed_in,
        seconds_late=float(submission.total_seconds_late),
        penalty=lost / before if before else 0.0,
        result=Result(
            student=person.id,
            identity=Identity("", "", "", ""),
            handed_in=handed_in,
            graded_at=now(),
            seconds=0.0,
            torch="",
            grader="",
            points=before,
            max_points=most,
            fault="",
            evidence=evidence,
        ),
        adjustments=_comments(person.id, submission),
    )


def _exercises(submission: Any, grades: Sequence[Any]) -> list[ExerciseEvidence]:
    """Graded cells by the exercise that they belong to; a cell that is no part of one stands for itself."""
    cells: dict[str, list[Any]] = {}
    for grade in grades:
        cells.setdefault(_exercise_of(grade.cell.name), []).append(grade)
    return [_exercise(name, own) for name, own in cells.items()]


def _exercise_of(cell: str) -> str:
    name, _, part = cell.rpartition("-")
    return name if part in PARTS and cell == grade_id(name, part) else cell


def _exercise(name: str, grades: Sequence[Any]) -> ExerciseEvidence:
    checks = tuple(map(_check, grades))
    return ExerciseEvidence(
        id=name,
        file=f"{grades[0].notebook.name}.ipynb",
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        not_started=False,
        checks=checks,
    )


def _check(grade: Any) -> CheckEvidence:
    """A graded cell in the form of a check."""
    got, most = float(grade.score), float(grade.max_score)
    return CheckEvidence(
        id=grade.cell.name,
        category=Category.VALUES,
        title=grade.cell.name,
        verdict=VerdictKind.PASSED if got >= most else VerdictKind.FAILED,
        points=got,
        max_points=most,
        mistakes=(),
        confidence=Confidence.NONE,
        message="",
        hint="",
        details=Details(),
        learner_line=None,
        seconds=0.0,
    )


def _comments(student: str, submission: Any) -> dict[tuple[str, str], Adjustment]:
    """What was said by hand, as decisions without points."""
    return {
        (comment.cell.name, ""): Adjustment(
            student=student, exercise=comment.cell.name, comment=comment.manual_comment, made_at=now()
        )
        for notebook in submission.notebooks
        for comment in notebook.comments
        if comment.manual_comment
    }
