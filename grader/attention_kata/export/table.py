"""Tables for spreadsheets and for the program of whoever counts: one row for each student, or for each check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..gradebook.standing import Standing
from ..tables import lines, number, safe
from .request import Request

STUDENT = (
    "student_id", "name", "email", "status", "points", "max_points", "automatic", "before_late", "seconds_late",
    "penalty", "handed_in",
)  # fmt: skip
CHECK = (
    "student_id", "exercise", "check", "category", "verdict", "points", "max_points", "automatic", "mistakes",
    "message",
)  # fmt: skip


def students(request: Request) -> Iterator[bytes]:
    """One row for each student.  Read twice: the first time for the exercises that there are."""
    exercises = exercise_names(request.rows())
    header = (*STUDENT, *map(safe, exercises), "comments")
    return lines(_with(header, student_rows(request.rows(), exercises)), request.bom)


def checks(request: Request) -> Iterator[bytes]:
    return lines(_with(CHECK, check_rows(request.rows())), request.bom)


def exercise_names(rows: Iterable[Standing]) -> list[str]:
    """The exercises that anybody was graded on, in the order of the course."""
    return list(dict.fromkeys(exercise.id for row in rows for exercise in row.exercises))


def student_rows(rows: Iterable[Standing], exercises: Sequence[str]) -> Iterator[Sequence[str]]:
    for row in rows:
        points = {exercise.id: row.exercise_points(exercise) for exercise in row.exercises}
        yield (
            *(safe(text) for text in (row.id, row.student.name, row.student.email, row.status)),
            *map(number, (row.points, row.max_points, row.automatic, row.before_late)),
            number(row.seconds_late if row.handed_in else None),
            number(row.penalty if row.points is not None else None),
            row.handed_in.isoformat() if row.handed_in else "",
            *(number(points.get(exercise)) for exercise in exercises),
            safe("\n".join(comments(row))),
        )


def check_rows(rows: Iterable[Standing]) -> Iterator[Sequence[str]]:
    for row in rows:
        for exercise in row.exercises:
            for check in exercise.checks:
                yield (
                    *map(safe, (row.id, exercise.id, check.id, check.category, check.verdict)),
                    number(row.check_points(exercise.id, check)),
                    number(check.max_points),
                    number(check.points),
                    safe(" ".join(check.mistakes)),
                    safe(check.message),
                )


def comments(row: Standing) -> list[str]:
    """What was said by hand, each with the check it is about."""
    return [
        ": ".join(filter(None, ("/".join(filter(None, (each.exercise, each.check))), each.comment)))
        for each in row.comments
    ]


def _with(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    yield header
    yield from rows
