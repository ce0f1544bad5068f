"""`kata grade`: a class, in any shape it comes, into a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ..course.find import find_course
from ..startup import Terminated, loading
from ..text import visible
from .keys import key_for, public_key
from .options import choose, course_option, db_option, key_option, running_options
from .workers import describe_isolation, workers_for

if TYPE_CHECKING:
    from ..gradebook.batch import Watch, Work
    from ..gradebook.grades import Grades
    from ..gradebook.records import Student
    from ..intake import Attempt, Intake
    from ..intake.roster import Roster
    from ..key.model import AnswerKey, Exercise


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--exercise", "names", multiple=True, help="Grade only this exercise or topic. May be repeated.")
@click.option("--layout", help="What PATH is, where looking is not enough: `folders`, `canvas`, ...")
@click.option("--assignment", help="The assignment, where PATH holds several (nbgrader).")
@click.option(
    "--roster",
    "roster_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV of who is expected: student_id, first_name, last_name, email.",
)
@click.option(
    "--gradebook",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the grades into this gradebook.db of nbgrader too; PATH is the course's folder submitted/.",
)
@db_option
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all results to FILE.")
@key_option
@running_options
@course_option
@click.pass_context
def grade(
    ctx: click.Context,
    path: Path,
    names: tuple[str, ...],
    layout: str | None,
    assignment: str | None,
    roster_file: Path | None,
    gradebook: Path | None,
    db: Path,
    json_file: Path | None,
    key_file: Path | None,
    jobs: int,
    seconds: float,
    isolation: str,
    course_dir: Path | None,
) -> None:
    """Grade a class: PATH holds what was handed in.

    PATH is a folder with a folder, a `.py` file or a notebook for each student, a zip or tar of these, or what
    Canvas, Moodle, Gradescope, GitHub Classroom or nbgrader hands out. Each submission is kept in the database
    as soon as it is graded: the same command goes on where it was stopped, and grades nothing twice.

    Where the course's solutions are at hand, a secret answer key is drawn for each new database, so that nothing
    copied from the public key earns points.

    Exit code 0 when everyone could be graded, 1 when someone could not, 2 for usage or environment.
    """
    from ..gradebook.batch import Watch, Work, grade_class
    from ..gradebook.grades import Grades
    from ..intake.roster import read_roster
    from ..sandbox.session import Limits
    from .progress import progress_of

    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise click.ClickException(f"{json_file.parent} is no folder: make it first, or write --json elsewhere.")
    course = find_course(course_dir)
    public = public_key(course)
    choose(public, names)  # what is wrong is said before a key is drawn, which takes minutes
    roster = None if roster_file is None else read_roster(roster_file)
    with loading():
        intake = _find(path, public.files, layout, assignment)
    if gradebook is not None:
        from ..nbgrader.gradebook import import_meanwhile, prepare

        prepare(gradebook, intake)
    with Grades(db, create=True) as grades, grades.held(), workers_for(isolation, ctx.obj) as workers:
        if gradebook is not None:
            import_meanwhile()
        with loading():
            key = key_for(grades, course, key_file or _released_key(grades, path, gradebook, intake))
        exercises = _scope(grades, key, names)
        chosen = _enrol(grades, intake, roster)
        work = Work(key, grades.use_key(key), exercises, Limits(seconds=seconds), isolation, workers)
        watch = Watch()
        try:
            with progress_of(watch, len(chosen)) as tick:
                grade_class(grades, chosen, work, jobs, watch, tick)
            written = gradebook is None or _into_gradebook(gradebook, grades, intake, work)
            code = _tell(grades, watch, isolation, json_file)
        except (KeyboardInterrupt, Terminated) as stopped:
            raise type(stopped)(
                f"stopped: {watch.done + watch.kept} of {len(chosen)} submissions are graded and kept in {db}; "
                "the same command goes on"
            ) from None
        ctx.exit(code if written else 1)


def _find(path: Path, topics: Sequence[str], layout: str | None, assignment: str | None) -> Intake:
    from ..intake import find_submissions

    intake = find_submissions(path, topics, layout, assignment)
    for note in intake.notes:
        click.echo(f"kata: {note}", err=True)
    return intake


def _scope(grades: Grades, key: AnswerKey, names: tuple[str, ...]) -> list[Exercise]:
    """The exercises of this assignment; a database holds one assignment."""
    exercises = choose(key, names)
    scope = [exercise.name for exercise in exercises]
    before = grades.setting("scope")
    if before is not None and before != scope:
        if not names:
            kept = [exercise for exercise in key.exercises if exercise.name in before]
            if len(kept) < len(key.exercises):
                click.echo(
                    f"kata: {grades.path} holds {', '.join(before)}, and only that is graded; "
                    "another assignment wants another --db.",
                    err=True,
                )
            return kept
        raise click.ClickException(
            f"{grades.path} holds the grades of {', '.join(before)}: grade other exercises into another --db."
        )
    with grades.transaction():
        grades.set("scope", scope)
        grades.set("course", {"id": key.course, "version": key.version})
        grades.set("max_points", float(sum(exercise.points for exercise in exercises)))
    return exercises


def _enrol(grades: Grades, intake: Intake, given: Roster | None) -> list[Attempt]:
    """Write down who handed in what, and who is expected -> the attempts that count, one for each student.

    A roster stays until another one takes its place.
    """
    from ..gradebook.records import Handed, Student
    from ..intake.roster import Roster, RosterRow

    known = {student.id: student for student in grades.students()}
    kept = tuple(RosterRow.of(student.roster) for student in known.values() if student.roster is not None)
    roster = given or Roster(kept)
    rows = {row.student_id: row.columns for row in roster.students}
    matched, twice = roster.match(intake.attempts), set[str]()
    for double in matched.duplicates:
        twice.add(double.student_id)
        names = " and ".join(repr(name) for name in double.identities)
        theirs = matched.attempts[double.student_id]
        counts = "the newest counts"
        if any(attempt.handed_in is None for attempt in theirs):
            counts = f"when they were handed in is not known, so that {theirs[-1].identity!r} counts; or take that away"
        click.echo(f"kata: {names} are both {double.student_id!r} of the roster: {counts}.", err=True)
    by_student = {student: list(own) for student, own in matched.attempts.items() if own}
    for attempt in matched.unknown:
        by_student.setdefault(attempt.student, []).append(attempt)
    with grades.transaction():
        if given is not None:
            grades.set("roster", True)
        for id, columns in rows.items():
            problem = known[id].problem if id in known else ""
            grades.enrol(Student(id, _full_name(columns), columns["email"], columns, problem=problem))
        _leave(grades, known.values(), roster)
        for student, own in by_student.items():
            on_roster, last = rows.get(student), own[-1]
            name, email = (_full_name(on_roster), on_roster["email"]) if on_roster else ("", "")
            grades.enrol(Student(student, name or last.name, email or last.email, on_roster, problem=last.problem))
            labels = (f"{a.identity} {a.label}".strip() if student in twice else a.label for a in own)
            handed = [Handed(label, a.origin, a.handed_in, a.late) for label, a in zip(labels, own, strict=True)]
            grades.hand_in(student, handed)
        if rows:
            grades.forget()
    return [own[-1] for own in by_student.values() if not own[-1].problem]


def _leave(grades: Grades, known: Iterable[Student], roster: Roster) -> None:
    """Who is no longer on the roster is on no row; who was on none before, and now fits one, is called as it says."""
    from ..intake import Attempt

    ids = {row.student_id for row in roster.students}
    others = [student for student in known if student.id not in ids]
    for student in others:
        if student.roster is not None:
            grades.enrol(replace(student, roster=None))
    strangers = [Attempt(s.id, s.name, "", None, None, "", s.email) for s in others if s.roster is None]
    for id, found in roster.match(strangers).attempts.items():
        for stranger in found:
            grades.rename(stranger.identity, id)


def _full_name(row: Mapping[str, str]) -> str:
    return " ".join(filter(None, (row["first_name"], row["last_name"])))


def _released_key(grades: Grades, path: Path, gradebook: Path | None, intake: Intake) -> Path | None:
    """The key of an assignment in nbgrader; None where it was not released from here."""
    if intake.layout != "nbgrader":
        return None
    from ..nbgrader.gradebook import released_key

    found = released_key((gradebook or path).absolute().parent, intake)
    if found.is_file():
        return found
    if gradebook is not None and grades.setting("key") is None:
        raise click.ClickException(
            f"{found} is not there: `kata release --nbgrader` makes it. Put it back, or name the key with --key."
        )
    return None


def _into_gradebook(gradebook: Path, grades: Grades, intake: Intake, work: Work) -> bool:
    from ..nbgrader.gradebook import write_gradebook

    key = replace(work.key, exercises=tuple(work.exercises))
    return write_gradebook(gradebook, grades, intake, key, lambda line: click.echo(visible(line), err=True))


def _tell(grades: Grades, watch: Watch, isolation: str, json_file: Path | None) -> int:
    """Write and print what there is now -> the exit code."""
    from ..files import replace_file
    from ..gradebook.standing import standings
    from ..judge.evidence import class_json
    from .progress import slowest
    from .screens import ClassTable

    table = ClassTable(grades.key())
    reports = []
    for row in standings(grades):
        table.add(row)
        if row.result is not None and row.result.evidence.isolation not in reports:
            reports.append(row.result.evidence.isolation)
    if json_file is not None:  # before anything is printed: it is not lost because a reader goes away
        replace_file(json_file, class_json(result.evidence for result in grades.results()), "--json")
    table.show()
    if watch.kept:
        click.echo(f"{watch.kept} were graded before and are as they were.")
    if words := slowest(watch):
        click.echo(words)
    click.echo(f"Isolation: {describe_isolation(reports, isolation)}.")
    click.echo(f"Kept in {grades.path}. The class at a glance: kata report; other formats: kata export --help")
    for student, fault in watch.faults.items():
        click.echo(f"kata: {student!r} could not be graded: {visible(fault)}. Run it again.", err=True)
    return 1 if watch.faults or table.counts["unreadable"] or table.counts["ungradable"] else 0
