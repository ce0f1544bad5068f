"""Which answer key: the public one, the one that is kept, or a new one."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import rich_click as click

from ..course.find import Course
from ..startup import loading

if TYPE_CHECKING:
    from ..gradebook.grades import Grades
    from ..key.model import AnswerKey


def import_meanwhile() -> None:
    """Import torch, which takes some seconds, while something else goes on."""
    Thread(target=_import).start()


def _import() -> None:
    with suppress(Exception), loading():  # what fails is told by whoever draws
        from ..course import draw  # noqa: F401


def draw_with_progress(course: Course, seed: int, *, public: bool) -> AnswerKey:
    """`attention_kata.course.draw.draw`, with a line on standard error that, on a terminal, says how far."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        console.print("kata: drawing an answer key, which takes up to half a minute", markup=False, soft_wrap=True)
    with console.status("drawing an answer key: importing torch") as status:
        from ..course.draw import draw

        return draw(
            course,
            seed,
            public=public,
            jobs=os.cpu_count() or 1,
            progress=lambda name: status.update(f"drawing an answer key: {name}"),
        )


def key_for(grades: Grades, course: Course, key_file: Path | None) -> AnswerKey:
    """The key that this class is graded with: kept in the database since the first time, so that a run can go on."""
    from ..gradebook.grades import key_id
    from ..key.file import check_torch, key_bytes, load_key

    kept = grades.setting("key")
    if key_file is not None:
        key = load_key(key_file)
        check_torch(key, str(key_file))
        if kept is not None and key_id(key_bytes(key)) != kept:
            old = grades.setting("course") or {}
            of = "another key" if old.get("version") == key.version else f"version {old.get('version')} of the course"
            raise click.ClickException(
                f"{grades.path} was graded with {of}: `kata regrade --key {key_file}` shows what would change; "
                "use another --db for a new assignment."
            )
        return key
    if kept is not None:
        own = grades.key(kept)
        assert own is not None
        check_torch(own, f"the key in {grades.path}")
        _same_version(grades, course, own)
        return own
    return fresh_key(course)


def fresh_key(course: Course) -> AnswerKey:
    """A new key with a secret seed; the public one, with a warning, where there are no solutions."""
    from ..key.file import check_torch, load_key

    if course.solutions_path is None:
        click.echo(
            "kata: warning: no solutions here, so this is graded with the public key, whose answers everyone can read.",
            err=True,
        )
        key = load_key(course.public_key)
        check_torch(key, "the public key")
        return key
    return draw_with_progress(course, secrets.randbits(63), public=False)


def _same_version(grades: Grades, course: Course, key: AnswerKey) -> None:
    if course.solutions_path is not None and (course.id, course.version) != (key.course, key.version):
        raise click.ClickException(
            f"{grades.path} was graded with version {key.version} of {key.course}, but this is {course.version} of "
            f"{course.id}: `kata regrade --fresh-key` shows what would change; use another --db for a new assignment."
        )


def public_key(course: Course) -> AnswerKey:
    """The course's public key; KataError in one line when it cannot be used."""
    from ..key.file import load_key

    return load_key(course.public_key)
