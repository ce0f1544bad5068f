"""`kata export`: grades for other programs."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from ..export import FORMATS
from .options import db_option

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
HELP = "\n\n".join(
    (
        "Write the grades in FORMAT, for a platform, a spreadsheet or a program.",
        "\n".join(f"- `{name}`: {each.says}" for name, each in FORMATS.items()),
        "Students without a grade are left blank everywhere, never given a zero. Students who could not be matched "
        "with a platform's file are named on standard error.",
    )
)


@click.command(help=HELP)
@click.argument("format", type=click.Choice(list(FORMATS)), metavar="FORMAT")
@click.option("--out", required=True, metavar="FILE", help="Where to write; - is standard output.")
@db_option
@click.option(
    "--into",
    type=FILE,
    help="canvas, moodle: the platform's own file; a filled-in copy is written. "
    "moodle-gradebook: a list of Moodle's users.",
)
@click.option("--column", default="", help="canvas, moodle, moodle-gradebook: the title of the grade column.")
@click.option(
    "--user",
    type=click.Choice(["id", "idnumber", "email", "username"]),
    help="moodle-gradebook: how Moodle identifies its users.  [default: email]",
)
@click.option("--student", default="", metavar="ID", help="gradescope, classroom, junit: only this student.")
@click.option("--from", "from_", type=FILE, help="gradescope, classroom, junit: what `kata check --json` printed.")
@click.option(
    "--bom", is_flag=True, help="csv, checks: begin with the byte order mark by which spreadsheets recognise UTF-8."
)
@click.option("--key", type=FILE, help="gradescope-autograder: an answer key.  [default: the one in the database]")
@click.option(
    "--package",
    default="",
    help="gradescope-autograder: a wheel, an sdist or a requirement line.  [default: a wheel of this checkout]",
)
def export(
    format: str,
    out: str,
    db: Path,
    into: Path | None,
    column: str,
    user: str | None,
    student: str,
    from_: Path | None,
    bom: bool,
    key: Path | None,
    package: str,
) -> None:
    given = {"into": into, "column": column, "user": user, "student": student, "from": from_, "bom": bom}
    given |= {"key": key, "package": package}
    _fitting(format, {name for name, value in given.items() if value})
    if into is not None and into.resolve() == Path(out).resolve():
        raise click.UsageError(f"--out would overwrite {into}, the platform's own file: choose another.")
    from ..export import export as produce
    from ..export.request import Request

    request = Request(
        db=db, into=into, column=column, user=user or "email", student=student, from_=from_, bom=bom, key=key,
        package=package, say=lambda text: click.echo(f"kata: {text}", err=True),
    )  # fmt: skip
    produce(format, request, out)


def _fitting(format: str, given: set[str]) -> None:
    """A usage error for an option that the format would ignore, or needs."""
    for option in sorted(given - FORMATS[format].options):
        others = ", ".join(name for name, each in FORMATS.items() if option in each.options)
        raise click.UsageError(f"--{option} has no meaning for {format}; it belongs to {others}.")
    for option in sorted(FORMATS[format].needs - given):
        raise click.UsageError(f"{format} needs --{option}: see `kata export --help`.")
