"""Commands for learners: init, list, check, hint, reset."""

from __future__ import annotations

import shutil
from pathlib import Path

import rich_click as click

from ..course.find import find_course
from .keys import public_key
from .options import choose, course_option, dir_option, learner_folder


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), default=Path("attention-kata"))
@course_option
def init(directory: Path, course_dir: Path | None) -> None:
    """Put the exercises into DIRECTORY (by default attention-kata). Existing files are kept."""
    course = find_course(course_dir)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for stub in sorted(course.exercises.glob("*.py")):
            target = directory / stub.name
            if target.exists():
                click.echo(f"  kept  {target}")
            else:
                shutil.copyfile(stub, target)
                click.echo(f"  new   {target}")
    except OSError as error:
        raise click.ClickException(f"{error.filename or directory}: {error.strerror}. Choose another folder.") from None
    first = public_key(course).exercises[0]
    click.echo(f"\nOpen {directory / first.file}, write {first.name}, then: cd {directory} && kata check")


@click.command("list")
@course_option
def list_exercises(course_dir: Path | None) -> None:
    """Show the exercises in order, with their points."""
    from .screens import show_list

    show_list(public_key(find_course(course_dir)))


@click.command()
@click.argument("names", metavar="[EXERCISE]...", nargs=-1)
@dir_option
@course_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON (schema 2) and nothing else.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=5.0,
    show_default=True,
    help="Time limit for each call of your code.",
)
@click.pass_context
def check(
    ctx: click.Context,
    names: tuple[str, ...],
    directory: Path | None,
    course_dir: Path | None,
    as_json: bool,
    seconds: float,
) -> None:
    """Check your work: every exercise, or the ones named (an exercise, or a topic such as `heads`).

    Shows in full the first exercise that does not pass yet, or every one that you named, and one line for each other.

    Exit code 0 when everything checked passes, 1 when something fails, 2 when it could not be checked.
    """
    from ..sandbox.start import any_workers

    with any_workers(ctx.obj) as workers:
        from ..intake.submission import read_submission
        from ..judge.evidence import json_bytes, to_json
        from ..judge.grading import grade
        from ..judge.score import evidence_of
        from ..sandbox.session import Limits
        from .screens import show_check

        key = public_key(find_course(course_dir))
        exercises = choose(key, names)
        folder = learner_folder(directory, key.files)
        submission = read_submission(folder, tuple(dict.fromkeys(e.file for e in exercises)))
        found = evidence_of(grade(submission, key, exercises, Limits(seconds=seconds), workers))
    if as_json:
        click.echo(json_bytes(to_json(found)))
    else:
        show_check(found, in_full=bool(names))
    if found.fault:
        click.echo(f"kata: not everything could be checked: {found.fault}. `kata doctor` tests this machine.", err=True)
        ctx.exit(2)
    ctx.exit(0 if found.passed else 1)


@click.command()
@click.argument("exercise")
@click.argument("level", type=click.IntRange(1, 3), default=1)
@course_option
def hint(exercise: str, level: int, course_dir: Path | None) -> None:
    """Give a hint for EXERCISE; LEVEL 1 is a nudge, LEVEL 3 nearly the solution."""
    from .screens import show_hint

    show_hint(choose(public_key(find_course(course_dir)), [exercise]), level)


@click.command()
@click.argument("exercise")
@dir_option
@course_option
def reset(exercise: str, directory: Path | None, course_dir: Path | None) -> None:
    """Bring back the stub of EXERCISE; a copy of your file is kept beside it under a dated name.

    A file name, such as attention.py, resets the whole file.
    """
    from ..course.stubs import ResetError, reset_exercise, reset_file

    course = find_course(course_dir)
    key = public_key(course)
    folder = learner_folder(directory, key.files)
    try:
        if exercise in key.files:
            copy = reset_file(folder / exercise, course.exercises / exercise)
        else:
            chosen = choose(key, [exercise])
            if len(chosen) > 1:
                copy = reset_file(folder / chosen[0].file, course.exercises / chosen[0].file)
            else:
                copy = reset_exercise(folder / chosen[0].file, course.exercises / chosen[0].file, chosen[0].name)
    except ResetError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"The stub of {exercise} is back." + (f" What you had is in {copy}." if copy else ""))
