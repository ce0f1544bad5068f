"""What is printed on a terminal.  Learners' text is never taken for markup or control codes."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from rich.box import SIMPLE
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..gradebook.records import Status
from ..judge.evidence import MARKS, CheckEvidence, Evidence, ExerciseEvidence, Heat, State
from ..judge.recognise import Confidence
from ..key.model import AnswerKey, Exercise
from ..messages.render import INSTRUCTOR, render
from ..messages.said import said
from ..text import on_one_line, visible

if TYPE_CHECKING:
    from ..course import hunt as hunting
    from ..course.proof import Counts
    from ..gradebook.standing import Standing

STYLES = {State.PASSED: "green", State.PARTLY: "yellow", State.NONE: "red", State.NEW: "dim"}
WIDE = 10_000  # characters
MAX_OUTPUT_LINES = 12
EXAMPLE = "example"  # the check that shows its numbers whole
MOST, LABEL, CELL, INDENT = 6, 10, 9, 6  # rows and columns of a small table; characters
SURE = {Confidence.EXACT: "sure-exact", Confidence.ERROR: "sure-error", Confidence.EITHER: "sure-either"}


class _Output(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Say so to whoever ends the program; rich would end it with code 1, which means something else here."""
        raise BrokenPipeError(errno.EPIPE, "the reader went away")


def console() -> Console:
    """Standard output; where it is not a terminal nothing is cut or wrapped: a line is a line."""
    out = _Output(highlight=False, soft_wrap=False)
    if not out.is_terminal:
        out.width = WIDE
    return out


def points(number: float) -> str:
    return f"{number:g}"


# ---------------------------------------------------------------------- kata check


def show_check(found: Evidence, in_full: bool) -> None:
    """The first exercise that does not pass in full (all of them when named), one line for each other."""
    out = console()
    out.print()
    _overview(out, found)
    failing = [exercise for exercise in found.exercises if not exercise.passed]
    for exercise in failing if in_full else failing[:1]:
        _exercise(out, exercise)
    _printed(out, found.output)
    stuck = f"  Stuck? kata hint {failing[0].id}" if failing else "  Everything is right."
    out.print(Text(f"  {points(found.points)} of {points(found.max_points)} points.{stuck}"))


def _overview(out: Console, found: Evidence) -> None:
    file = ""
    width = max(len(exercise.id) for exercise in found.exercises)
    for exercise in found.exercises:
        if exercise.file != file:
            file = exercise.file
            out.print(Text(f"  {file}", "bold"))
        score = f"{points(exercise.points)}/{points(exercise.max_points)}"
        line = Text(f"    {MARKS[exercise.state]} ", STYLES[exercise.state])
        line.append(f"{exercise.id:<{width}}  {score:>7}", "default")
        line.append(f"  {_in_short(exercise)}", "dim")
        line.truncate(out.width, overflow="ellipsis")
        out.print(line, no_wrap=True)
    out.print()


def _in_short(exercise: ExerciseEvidence) -> str:
    if exercise.passed:
        return ""
    if exercise.not_started:
        return "not started"
    return visible(exercise.first_failing.message.splitlines()[0])


def _exercise(out: Console, exercise: ExerciseEvidence) -> None:
    """Every distinct cause once, with the checks it fails."""
    if exercise.not_started:
        _next(out, exercise)
        return
    causes: dict[str, list[CheckEvidence]] = {}
    for check in exercise.telling:
        causes.setdefault(check.message, []).append(check)
    shown = False
    for checks in causes.values():
        table = not shown and checks[0].id != EXAMPLE and checks[0].details.heat is not None
        shown = shown or (table and checks[0].confidence is Confidence.NUMBERS)
        _cause(out, exercise, checks, table)
    first = exercise.first_failing
    if first.already_right:
        right = Text(f"Already right: {', '.join(first.already_right)}.", "green")
        out.print(Padding(right, (0, 0, 0, 2), expand=False))
        out.print()


def _next(out: Console, exercise: ExerciseEvidence) -> None:
    """An exercise that has not been begun: where to begin, and no blame."""
    told = exercise.checks[0]
    title = Text(f"Next: {exercise.id}", "bold")
    title.append(f"   {points(exercise.max_points)} points   {exercise.file}:{told.learner_line or 1}", "dim")
    out.print(Padding(title, (0, 0, 0, 2), expand=False))
    out.print(Padding(Text(told.hint), (0, 0, 0, 2), expand=False))
    out.print()


def _cause(out: Console, exercise: ExerciseEvidence, checks: Sequence[CheckEvidence], table: bool) -> None:
    """A message and what belongs to it; with a small table of its numbers, if `table` says so."""
    told = checks[0]
    lost = sum(check.max_points for check in exercise.failing if check.message == told.message)
    file, line = (told.elsewhere.file, told.elsewhere.line) if told.elsewhere else (exercise.file, told.learner_line)
    where = f"   {file}:{line}" if line else f"   {file}"
    title = Text(f"{exercise.id} › {told.title}", "bold")
    title.append(f"   0 of {points(lost)} points{visible(where)}", "dim")
    out.print(Padding(title, (0, 0, 0, 2), expand=False))
    out.print(Padding(Text(visible(told.message), "red"), (0, 0, 0, 2), expand=False))
    if told.details.first_mismatch:
        out.print(Padding(Text(visible(told.details.first_mismatch), "dim"), (0, 0, 0, 6), expand=False))
    if table and told.details.heat and told.confidence is Confidence.NUMBERS:
        for row in small_table(told.details.heat, out.width - INDENT):
            out.print(Padding(row, (0, 0, 0, INDENT), expand=False))
    if told.confidence in SURE and told.mistakes:
        out.print(Padding(Text(render(said(SURE[told.confidence])), "dim"), (0, 0, 0, 6), expand=False))
    if told.hint:
        out.print(Padding(Text(visible(told.hint)), (0, 0, 0, 2), expand=False))
    if len(checks) > 1:
        rest = ", ".join(check.title for check in checks[1:])
        again = "Same cause" if told.cause_known else "Also"
        out.print(Padding(Text(f"{again}: {rest}.", "dim"), (0, 0, 0, 2), expand=False))
    out.print()


def small_table(heat: Heat, width: int) -> list[Text]:
    """Expected and found around the first wrong number, at most 6 x 6, in `width` characters; wrong ones in red."""
    height, across = len(heat.expected), len(heat.expected[0])
    columns = max(1, min(MOST, across, (width - LABEL) // CELL))
    wrong = {(r, c) for r in range(height) for c in range(across) if heat.found[r][c] != heat.expected[r][c]}
    first = min(wrong, default=(0, 0))
    top = max(0, min(first[0] - MOST + 1, height - MOST))
    left = max(0, min(first[1] - columns + 1, across - columns))
    names = [
        axis if not axis.startswith("axis") else plain for axis, plain in ((heat.rows, "row"), (heat.columns, "col"))
    ]
    shown = range(left, left + columns)
    lines = []
    for title, numbers in (("expected", heat.expected), ("yours", heat.found)):
        head = "".join(f"{f'{names[1]} {heat.first[1] + c}':>{CELL}}" for c in shown)
        lines.append(Text(f"{title:<{LABEL}}{head}", "dim"))
        for r in range(top, min(top + MOST, height)):
            line = Text(f"{f'  {names[0]} {heat.first[0] + r}':<{LABEL}}", "dim")
            for c in shown:
                style = "red" if numbers is heat.found and (r, c) in wrong else "not dim"
                line.append(f"{_cell(numbers[r][c]):>{CELL}}", style)
            lines.append(line)
    return lines


def _cell(number: float | None) -> str:
    return "nan" if number is None else f"{number:.3g}"


def _printed(out: Console, output: str) -> None:
    lines = visible(output).strip("\n").splitlines()
    if not lines:
        return
    out.print(Text("  Your code printed:", "bold"))
    for line in lines[:MAX_OUTPUT_LINES]:
        out.print(Padding(Text(line[:500]), (0, 0, 0, 4), expand=False))
    if len(lines) > MAX_OUTPUT_LINES:
        out.print(Text(f"    … and {len(lines) - MAX_OUTPUT_LINES} more lines", "dim"))
    out.print()


# ---------------------------------------------------------------------- list, hint


def show_list(key: AnswerKey) -> None:
    """One line for each exercise, under the name of its file; what does not fit a narrow terminal is cut."""
    out = console()
    width = max(len(exercise.name) for exercise in key.exercises)
    for file in key.files:
        out.print(Text(file, "bold"))
        for exercise in key.exercises:
            if exercise.file == file:
                line = Text(f"  {exercise.name:<{width}}  {points(exercise.points):>3}  ")
                line.append(exercise.summary, "dim")
                line.truncate(out.width, overflow="ellipsis")
                out.print(line, no_wrap=True)
    out.print(Text(f"{key.title}: {len(key.exercises)} exercises, {points(key.points)} points."))


def show_hint(exercises: Sequence[Exercise], level: int) -> None:
    out = console()
    for exercise in exercises:
        out.print(Text(f"{exercise.name}, hint {level} of {len(exercise.hints)}", "bold"))
        out.print(Padding(Text(exercise.hints[level - 1]), (0, 0, 0, 2), expand=False))
        if level < len(exercise.hints):
            out.print(Text(f"Still stuck? kata hint {exercise.name} {level + 1}", "dim"))


# ---------------------------------------------------------------------- kata grade


class ClassTable:
    """One row for each student, and the mistakes of the class by how many make them; told one student at a time."""

    MAX_ROWS = 200

    def __init__(self, key: AnswerKey | None) -> None:
        self.catalogue = key.catalogue if key is not None else {}
        self.counts: Counter[Status] = Counter()
        self.makers: Counter[str] = Counter()
        self.rows: list[tuple[str, str, str]] = []

    def add(self, row: Standing) -> None:
        self.counts[row.status] += 1
        checks = [check for exercise in row.exercises for check in exercise.checks]
        self.makers.update({id for check in checks for id in check.mistakes})
        if len(self.rows) < self.MAX_ROWS:
            got = "–" if row.points is None else points(row.points)
            stranger = "" if row.on_roster else "not on the roster; "
            self.rows.append((row.id, f"{got}/{points(row.max_points)}", (stranger + _in_the_way(row)).rstrip("; ")))

    def show(self) -> None:
        out = console()
        table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
        longest = max((len(id) for id, _, _ in self.rows), default=0)
        table.add_column("student", overflow="fold", min_width=min(max(longest, 7), 30))
        table.add_column("points", justify="right", no_wrap=True, min_width=8)
        table.add_column("what stands in the way", overflow="ellipsis", no_wrap=True, max_width=max(20, out.width - 45))
        for id, got, why in self.rows:
            table.add_row(Text(on_one_line(id)), got, Text(why, "dim"))
        out.print(table)
        if (more := self.counts.total() - len(self.rows)) > 0:
            out.print(Text(f"  ... and {more} more"))
        if self.makers:
            out.print(Text("Mistakes in the class", "bold"))
            for id, count in sorted(self.makers.items(), key=lambda item: (-item[1], item[0]))[:10]:
                message = self.catalogue[id].message if id in self.catalogue else id
                out.print(Text(f"  {count:>3} of {self.counts[Status.GRADED]}  {message}"))
        out.print(Text(", ".join(f"{count} {status}" for status, count in self.counts.items()) + "."))


def _in_the_way(row: Standing) -> str:
    if row.status is Status.UNREADABLE:
        return _one_line(render(row.student.problem, INSTRUCTOR))
    if row.status is not Status.GRADED:
        return {Status.MISSING: "nothing handed in", Status.WAITING: "not graded yet"}.get(
            row.status, "could not be graded"
        )
    left = [exercise for exercise in row.exercises if exercise.points < exercise.max_points]
    ids = dict.fromkeys(id for exercise in left for check in exercise.checks for id in check.mistakes)
    if ids:
        return ", ".join(ids)
    started = next((exercise for exercise in left if not exercise.not_started), None)
    if started is None:
        return "not started: " + ", ".join(exercise.id for exercise in left) if left else ""
    return _one_line(f"{started.id}: {started.failing[0].message}")


def _one_line(text: str) -> str:
    return visible(text).replace("\n", " ")


# ---------------------------------------------------------------------- kata dev


def show_proof(counts: Mapping[str, Counts], seeds: int) -> None:
    """What was proved for each exercise, then what was not."""
    out = console()
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for column in ("exercise", "right answers", "mistakes", "named", "pairs", "against torch", "problems"):
        table.add_column(column, justify="left" if column == "exercise" else "right")
    for name, c in counts.items():
        numbers = (c.right, c.mistakes, c.named, c.pairs, c.torch, len(c.problems))
        table.add_row(name, *map(str, numbers), style="red" if c.problems else "")
    out.print(table)
    for name, c in counts.items():
        for problem, times in Counter(_without_seed(p) for p in c.problems).items():
            out.print(Text(f"  {name}: {problem}" + (f"  ({times} times)" if times > 1 else "")))
    mistakes, named = (sum(getattr(c, field) for c in counts.values()) for field in ("mistakes", "named"))
    bad = sum(len(c.problems) for c in counts.values())
    out.print(
        Text(
            f"{seeds} seeds: {named} of {mistakes} mistakes caught and named; "
            + ("everything holds." if not bad else f"{bad} problem{'s' * (bad > 1)}.")
        )
    )


def _without_seed(problem: str) -> str:
    return problem.split(": ", 1)[1] if problem.startswith("seed ") else problem


def show_hunt(counts: Mapping[str, hunting.Counts], found: Sequence[hunting.Hole]) -> None:
    """What became of the mutants of each exercise, then every input that no check had."""
    out = console()
    if counts:
        table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
        for column in ("exercise", "right answers", "mutants", "caught", "never differ", "slip through", "unjust"):
            table.add_column(column, justify="left" if column == "exercise" else "right")
        for name, c in counts.items():
            numbers = (c.right, c.made, c.caught, c.same, len(c.holes), len(c.unjust))
            table.add_row(name, *map(str, numbers), style="red" if c.holes or c.unjust else "")
        out.print(table)
    for hole in found:
        out.print(Text(f"\n{hole.exercise}: {_one_line(hole.what)}"))
        out.print(Text(f"  {_one_line(hole.finding)}"))
        for line in hole.case.split("\n"):
            out.print(Text(f"    {visible(line)}"), soft_wrap=True)
    made = sum(c.made for c in counts.values())
    tried = f"{made} mutants: " if counts else ""
    out.print(Text(f"\n{tried}{len(found) or 'nothing'} found that the checks had missed."))


def show_matrix(name: str, checks: Sequence[str], matrix: Mapping[str, Mapping[str, bool]]) -> None:
    """Mistakes down, checks across; × where the check fails."""
    out = console()
    out.print(Text(f"{name}: which check catches which mistake", "bold"))
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("mistake", no_wrap=True)
    for number in range(1, len(checks) + 1):
        table.add_column(str(number), justify="center")
    for id, fails in matrix.items():
        table.add_row(
            id, *("×" if fails[check] else "·" for check in checks), style="" if any(fails.values()) else "red"
        )
    out.print(table)
    for number, check in enumerate(checks, 1):
        caught = sum(fails[check] for fails in matrix.values())
        alone = sum(fails[check] and sum(fails.values()) == 1 for fails in matrix.values())
        out.print(Text(f"  {number:>2} {check}: catches {caught}" + (f", {alone} of them alone" if alone else "")))
