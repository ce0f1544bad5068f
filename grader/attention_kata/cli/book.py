"""What is decided by hand after grading: `kata adjust` and `kata due`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ..text import visible
from .options import db_option, did_you_mean, need_students

if TYPE_CHECKING:
    from ..gradebook.grades import Grades
    from ..gradebook.standing import Standing
    from ..judge.evidence import CheckEvidence


@click.command()
@click.argument("student")
@click.option("--check", "check", help="EXERCISE/CHECK, such as softmax/values; without it, the whole submission.")
@click.option("--points", type=float, help="The score to give in place of the automatic one.")
@click.option("--comment", default="", help="A comment for the student, shown in the feedback.")
@click.option("--clear", is_flag=True, help="Withdraw a decision.")
@db_option
def adjust(student: str, check: str | None, points: float | None, comment: str, clear: bool, db: Path) -> None:
    """Give a score or a comment by hand, for a check or a whole submission; without options, show the current state.

    A score given by hand is kept apart from the automatic one and survives regrading; where the automatic score has
    changed since, `kata report` and this command point it out. A late penalty applies to a score given by hand too.
    """
    from ..gradebook.grades import Grades
    from ..gradebook.records import Adjustment, now
    from ..gradebook.standing import standings

    with Grades(db) as grades:
        need_students(grades, (student,))
        row = next(row for row in standings(grades) if row.id == student)
        if points is None and not comment and not clear:
            _show_standing(grades, row)
            return
        exercise, automatic, most = "", row.automatic, row.max_points
        name = ""
        if check is not None:
            exercise, name, found = _find_check(row, check)
            automatic, most = found.points, found.max_points
        if points is not None and not 0 <= points <= most:
            raise click.UsageError(f"--points {points:g}: must be between 0 and {most:g} here.")
        if clear and (points is not None or comment):
            raise click.UsageError("--clear withdraws a decision; do not give --points or --comment with it.")
        before = (row.adjustments or {}).get((exercise, name))
        if before is not None and not clear:  # what is not given now stays as it was decided
            comment = comment or before.comment
            if points is None:
                points, automatic = before.points, before.automatic
        if clear and before is None:
            there = [f"--check {e}/{c}" if e else "no --check" for e, c in row.adjustments or {}]
            raise click.UsageError(
                f"nothing was decided there by hand. To withdraw what was, use --clear with {' or '.join(there)}."
                if there
                else f"nothing was decided by hand for {student!r}."
            )
        grades.adjust(
            Adjustment(
                student=student,
                exercise=exercise,
                check=name,
                points=points,
                comment=comment,
                automatic=automatic,
                made_at=now(),
            )
        )
        row = next(row for row in standings(grades) if row.id == student)
        _show_standing(grades, row)


def _find_check(row: Standing, wanted: str) -> tuple[str, str, CheckEvidence]:
    known = {
        f"{exercise.id}/{check.id}": (exercise.id, check.id, check)
        for exercise in row.exercises
        for check in exercise.checks
    }
    if wanted in known:
        return known[wanted]
    own = [name for name in known if name.split("/")[0] == wanted.split("/")[0]]
    listed = f" The checks are: {', '.join(own or known)}." if known else " Nothing has been graded yet."
    raise click.UsageError(f"there is no check {wanted!r}.{did_you_mean(wanted, set(known), 0.9) or listed}")


def _show_standing(grades: Grades, row: Standing) -> None:
    from ..text import visible
    from .screens import points

    def got(number: float | None) -> str:
        return "no grade" if number is None else points(number)

    click.echo(f"{visible(row.name)}: {got(row.points)} of {points(row.max_points)} points ({row.status})")
    click.echo(f"  automatic: {got(row.automatic)}")
    if row.penalty:
        click.echo(f"  late by {row.seconds_late / 3600:.1f} h: {100 * row.penalty:g}% taken off")
    for (exercise, check), a in (row.adjustments or {}).items():
        what = f"{exercise}/{check}" if exercise else "the submission"
        score = "" if a.points is None else f" {points(a.points)} points instead of {got(a.automatic)}"
        flag = f" (the automatic score is {got(row.automatic_of(a))} now: look again)" if a in row.outdated else ""
        click.echo(f"  by hand, {what}:{score}{flag}{' – ' + visible(a.comment) if a.comment else ''}")
    for result in grades.results(row.id, history=True):
        what = visible(result.fault) if result.fault else f"{points(result.points)} of {points(result.max_points)}"
        click.echo(f"  graded {result.graded_at:%Y-%m-%d %H:%M} UTC, key {result.identity.key[:8]}: {what}")


@click.command()
@click.argument("when", required=False)
@click.option("--late", "policy", help="none, 'per-day 10% cap 50%' or 'steps 1h 5%, 1d 20%'.")
@click.option(
    "--extend", "extensions", type=(str, str), multiple=True, help="STUDENT SPAN: more time for a student, such as 2d."
)
@click.option("--never", is_flag=True, help="Remove the due date.")
@db_option
def due(when: str | None, policy: str | None, extensions: tuple[tuple[str, str], ...], never: bool, db: Path) -> None:
    """Set or show when the assignment is due, what lateness costs, and who has more time.

    WHEN is a date such as `2026-12-01 23:59`, in this machine's time zone unless it names one; a date alone means
    the end of that day. Grades are recomputed from what is stored; nothing is run again.
    """
    from ..gradebook.grades import Grades
    from ..gradebook.late import BadPolicy, read_policy, read_span, read_time
    from ..gradebook.standing import Terms

    if never and when:
        raise click.UsageError("give either --never or a date, not both.")
    with Grades(db) as grades:
        need_students(grades, tuple(student for student, _ in extensions))
        try:
            moment = read_time(when) if when else None
            terms = str(read_policy(policy)) if policy is not None else None
            spans = [(student, read_span(span)) for student, span in extensions]
        except BadPolicy as error:
            raise click.UsageError(f"{error}.") from None
        with grades.transaction():
            if moment is not None or never:
                grades.set("due", moment.isoformat() if moment else None)
            if terms is not None:
                grades.set("late", terms)
            for student, seconds in spans:
                grades.extend(student, seconds)
        now = Terms.of(grades)
        click.echo(f"Due: {now.due:%Y-%m-%d %H:%M} UTC" if now.due else "Due: never")
        click.echo(f"Late policy: {now.policy}")
        for each in grades.students():
            if each.extension:
                click.echo(f"  {visible(each.id)}: {each.extension / 3600:g} h more")
