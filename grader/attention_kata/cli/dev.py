"""`kata dev`: for authors of a course."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import rich_click as click

from ..course.find import find_course
from .options import course_option


@click.group()
def dev() -> None:
    """Write and prove a course: new, check, hunt, key, matrix."""


@dev.command()
@click.argument("name")
@click.option("--topic", help="The topic to put it in, new or existing. By default a new one of the same name.")
@course_option
def new(name: str, topic: str | None, course_dir: Path | None) -> None:
    """Start an exercise NAME: a stub in exercises/ and a solution in solutions/, added after what is there."""
    from ..course.scaffold import ScaffoldError, scaffold

    try:
        made = scaffold(find_course(course_dir), name, topic or name)
    except ScaffoldError as error:
        raise click.ClickException(str(error)) from None
    for path in made:
        click.echo(f"  {path}")
    click.echo(f"Fill them in, then: kata dev check {name}")


@dev.command()
@click.argument("names", metavar="[EXERCISE]...", nargs=-1)
@click.option("--seeds", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many keys to try.")
@click.option("--jobs", type=click.IntRange(1, 64), default=min(64, os.cpu_count() or 1), show_default=True)
@course_option
@click.pass_context
def check(ctx: click.Context, names: tuple[str, ...], seeds: int, jobs: int, course_dir: Path | None) -> None:
    """Prove the course.

    Every stub fails; every solution and every right variant passes, in float32 too; every mistake is
    caught and named; the solutions agree with torch's own functions. Prints the counts.
    """
    from rich.console import Console
    from rich.progress import Progress

    from ..course.proof import prove
    from .screens import show_proof

    course = find_course(course_dir)
    known = [solution.name for _, solution in course.solutions]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(f"there is no exercise {unknown[0]!r}; the exercises are {', '.join(known)}")
    names = names or tuple(known)
    error = Console(stderr=True)
    with Progress(console=error, disable=not error.is_terminal, transient=True) as progress:
        task = progress.add_task("proving", total=seeds * len(names))
        counts = prove(course, names, seeds, jobs, lambda _: progress.advance(task))
    show_proof(counts, seeds)
    ctx.exit(1 if any(count.problems for count in counts.values()) else 0)


@dev.command()
@click.argument("names", metavar="[EXERCISE]...", nargs=-1)
@click.option(
    "--answers",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Try the answers in this folder, or in each of its folders, instead of mutants. They run confined.",
)
@click.option("--minutes", type=click.FloatRange(min=0.01), default=10.0, show_default=True, help="When to stop.")
@click.option(
    "--mutants", type=click.IntRange(0), help="How many to try, the same share of each exercise. By default all."
)
@click.option("--draws", type=click.IntRange(1), default=200, show_default=True, help="Legal inputs for each.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Which mutants come first.")
@click.option("--jobs", type=click.IntRange(1, 64), default=min(64, os.cpu_count() or 1), show_default=True)
@course_option
@click.pass_context
def hunt(
    ctx: click.Context,
    names: tuple[str, ...],
    answers: Path | None,
    minutes: float,
    mutants: int | None,
    draws: int,
    seed: int,
    jobs: int,
    course_dir: Path | None,
) -> None:
    """Hunt for legal inputs that the checks have missed.

    Right answers and mutants of them (or the answers of a folder) that pass every check meet inputs drawn from all
    that the prompt allows. Where one gives something else than the reference, the smallest such input is printed.

    Exit code 0 when nothing is found, 1 when something is.
    """
    import time

    from rich.console import Console
    from rich.progress import Progress

    from ..course import hunt as hunting
    from .screens import show_hunt

    course = find_course(course_dir)
    known = [solution.name for _, solution in course.solutions if solution.domain is not None]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(f"{unknown[0]!r} is no exercise with a domain; those are {', '.join(known)}")
    chosen = names or tuple(known)
    if answers is not None:
        found = list(hunting.hunt_answers(course, answers, chosen, draws))
        show_hunt({}, found)
        ctx.exit(1 if found else 0)
    error = Console(stderr=True)
    with Progress(console=error, disable=not error.is_terminal, transient=True) as progress:
        task = progress.add_task("hunting", total=None)
        counts = hunting.hunt(
            course,
            chosen,
            draws=draws,
            most=mutants,
            until=time.monotonic() + 60 * minutes,
            seed=seed,
            jobs=jobs,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    found = [hole for count in counts.values() for hole in (*count.unjust, *count.holes)]
    show_hunt(counts, found)
    ctx.exit(1 if found else 0)


@dev.command()
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it. By default it replaces the public key.",
)
@click.option("--secret", is_flag=True, help="A key of your own with a secret seed, for grading. Needs --out.")
@course_option
def key(out: Path | None, secret: bool, course_dir: Path | None) -> None:
    """Draw an answer key: the public one of the course, or with --secret one of your own."""
    from ..course.find import PUBLIC_SEED
    from ..key.file import save_key
    from .keys import draw_with_progress

    if secret and out is None:
        raise click.UsageError("--secret needs --out FILE: the public key must not be overwritten with a secret one.")
    course = find_course(course_dir)
    path = out or course.public_key
    if not path.absolute().parent.is_dir():  # said before the time is spent on drawing
        raise click.ClickException(
            f"{path.parent} is not a folder: create it first, or choose another place with --out."
        )
    drawn = draw_with_progress(course, secrets.randbits(63) if secret else PUBLIC_SEED, public=not secret)
    try:
        size = save_key(drawn, path)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}. Choose another place with --out.") from None
    click.echo(f"{path}  {size / 1e6:.2f} MB, {len(drawn.exercises)} exercises, {drawn.points:g} points")


@dev.command()
@click.argument("name", metavar="EXERCISE")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@course_option
def matrix(name: str, seed: int, course_dir: Path | None) -> None:
    """Show which check catches which mistake of EXERCISE."""
    from ..course.proof import kill_matrix
    from .screens import show_matrix

    course = find_course(course_dir)
    found: dict[str, tuple[str, Any]] = {s.name: (t, s) for t, s in course.solutions}
    if name not in found:
        raise click.UsageError(f"there is no exercise {name!r}; the exercises are {', '.join(found)}")
    topic, solution = found[name]
    show_matrix(name, [c.id for c in solution.checks], kill_matrix(solution, f"{topic}.py", seed))
