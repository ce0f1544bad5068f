"""`kata similarity`: which submissions are more alike than the class is anyhow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ..course.find import find_course
from .options import course_option, db_option

if TYPE_CHECKING:
    from ..gradebook.similarity import Likeness

NOTE = (
    "Similarity is a reason to look and to ask, nothing more. Short functions with one good answer come out the same: "
    "what many in the class have is left out, as are the stub, comments, layout and the names of variables. Rewritten "
    "answers and sources outside the class are not seen."
)


@click.command()
@db_option
@click.option(
    "--least",
    type=click.IntRange(0, 100),
    default=60,
    show_default=True,
    metavar="PERCENT",
    help="How much of the shorter submission's own text the two must share.",
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write FILE.csv, or FILE.html side by side."
)
@course_option
def similarity(db: Path, least: int, out: Path | None, course_dir: Path | None) -> None:
    """List pairs of submissions that are unusually similar for the class.

    A pair is listed when it shares at least --least percent, and more than 99 of 100 pairs in the class do.
    """
    if out is not None and out.suffix not in (".csv", ".html"):
        raise click.UsageError("--out needs a name that ends in .csv or .html.")
    from ..gradebook.grades import Grades
    from ..gradebook.similarity import Stubs, compare_class

    stubs = Stubs.of(
        path.read_text(encoding="utf-8") for path in sorted(find_course(course_dir).exercises.glob("*.py"))
    )
    with Grades(db) as grades:
        found = compare_class(grades, stubs, least / 100)
        if out is not None:
            from ..export import write
            from ..export.alike import as_csv, as_html

            write(as_csv(found) if out.suffix == ".csv" else as_html(found, grades, stubs, NOTE), str(out))
    _show(found)


def _row(students: Sequence[str]) -> str:
    from ..text import visible

    return visible(_listed(students)).replace("\n", "\\n")


def _show(found: Likeness) -> None:
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from .screens import console

    out = console()
    for group in found.same:
        out.print(Text(f"  the same except for layout, comments and names: {_row(group)}"))
    if found.pairs:
        table = Table("one", "other", "alike", "passages in common", box=SIMPLE)
        for pair in found.pairs:
            who = (Text(_row(pair.first)), Text(_row(pair.second)))
            table.add_row(*who, f"{pair.alike:.0%}", str(pair.shared))
        out.print(table)
    elif not found.same:
        out.print("  No two submissions stand out.")
    facts = f"{found.students} submissions, {found.texts} different ones. Nearly all pairs of them share"
    out.print(Text(f"  {facts} {found.level:.0%} or less of what few others have.\n\n  {NOTE}"))


def _listed(students: Sequence[str]) -> str:
    shown = ", ".join(students[:6])
    return shown + (f" and {len(students) - 6} more" if len(students) > 6 else "")
