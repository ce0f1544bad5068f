"""Who is in a class and what they handed in, and what the assignment is: written down before anything is graded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..intake.attempt import Attempt
from ..intake.roster import Duplicate, Roster, RosterRow
from ..key.model import AnswerKey, Exercise
from .database import BadGrades
from .grades import Grades
from .records import Handed, Student


@dataclass(frozen=True)
class Enrolment:
    """`attempts` are those to be graded, one for each student; `notes` what the instructor should know."""

    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...]


def enrol(grades: Grades, attempts: Iterable[Attempt], given: Roster | None) -> Enrolment:
    """Write down who handed in what, and who is expected.

    A roster stays until another one takes its place.
    """
    known = {student.id: student for student in grades.students()}
    kept = tuple(RosterRow.of(student.roster) for student in known.values() if student.roster is not None)
    roster = given or Roster(kept)
    rows = {row.student_id: row.columns for row in roster.students}
    matched = roster.match(attempts)
    twice = {double.student_id for double in matched.duplicates}
    by_student = {student: list(own) for student, own in matched.attempts.items() if own}
    for attempt in matched.unknown:
        by_student.setdefault(attempt.student, []).append(attempt)
    with grades.transaction():
        if given is not None:
            grades.set("roster", True)
        for id, columns in rows.items():
            problem = known[id].problem if id in known else None
            grades.enrol(
                Student(id=id, name=_full_name(columns), email=columns["email"], roster=columns, problem=problem)
            )
        _leave(grades, known.values(), roster)
        for student, own in by_student.items():
            grades.enrol(_student(student, own[-1], rows.get(student)))
            labels = (f"{a.identity} {a.label}".strip() if student in twice else a.label for a in own)
            handed = [Handed(label, a.origin, a.handed_in, a.late) for label, a in zip(labels, own, strict=True)]
            grades.hand_in(student, handed)
        if rows:
            grades.forget()
    last = tuple(own[-1] for own in by_student.values() if not own[-1].problem)
    return Enrolment(last, tuple(_said(double, by_student[double.student_id]) for double in matched.duplicates))


def _said(double: Duplicate, theirs: Sequence[Attempt]) -> str:
    """That several identities are one person, and which attempt counts."""
    names = " and ".join(repr(name) for name in double.identities)
    counts = "the newest counts"
    if any(attempt.handed_in is None for attempt in theirs):
        counts = f"when they were handed in is not known, so {theirs[-1].identity!r} counts unless you remove it"
    return f"{names} are both {double.student_id!r} on the roster: {counts}."


def _student(id: str, last: Attempt, row: Mapping[str, str] | None) -> Student:
    """As the roster calls them, else as the layout does."""
    name, email = (_full_name(row), row["email"]) if row else ("", "")
    return Student(id=id, name=name or last.name, email=email or last.email, roster=row, problem=last.problem)


def _leave(grades: Grades, known: Iterable[Student], roster: Roster) -> None:
    """Who is no longer on the roster is on no row; who was on none before, and now fits one, is called as it says."""
    ids = {row.student_id for row in roster.students}
    others = [student for student in known if student.id not in ids]
    for student in others:
        if student.roster is not None:
            grades.enrol(replace(student, roster=None))
    strangers = [Attempt(student=s.id, name=s.name, origin="", email=s.email) for s in others if s.roster is None]
    for id, found in roster.match(strangers).attempts.items():
        for stranger in found:
            grades.rename(stranger.identity, id)


def _full_name(row: Mapping[str, str]) -> str:
    return " ".join(filter(None, (row["first_name"], row["last_name"])))


def assign(
    grades: Grades, key: AnswerKey, chosen: Sequence[Exercise], *, all_of_them: bool
) -> tuple[list[Exercise], str]:
    """Write down what this database holds: `chosen`, or what was chosen before -> the exercises, and a note or "".

    A database holds one assignment.  Where it is another, BadGrades; but when `all_of_them` were chosen because none
    was named, those of before are meant.
    """
    scope = [exercise.name for exercise in chosen]
    before = grades.setting("scope")
    if before is not None and before != scope:
        if not all_of_them:
            raise BadGrades(
                f"{grades.path} holds the grades of {', '.join(before)}: use another --db for other exercises."
            )
        kept = [exercise for exercise in key.exercises if exercise.name in before]
        less = (
            f"{grades.path} holds {', '.join(before)}, and only that is graded; another assignment needs another --db."
        )
        return kept, less if len(kept) < len(key.exercises) else ""
    set_scope(grades, key, scope)
    return list(chosen), ""


def set_scope(grades: Grades, key: AnswerKey, scope: Sequence[str]) -> None:
    """The exercises that the database holds, by their names."""
    with grades.transaction():
        grades.set("scope", list(scope))
        grades.set("course", {"id": key.course, "version": key.version})
        grades.set("max_points", float(sum(exercise.points for exercise in key.exercises if exercise.name in scope)))
