"""Drawing a key while saying how far it has got."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Thread

from ..course import Course
from ..model import AnswerKey
from ..program import loading


def import_meanwhile() -> None:
    """Import torch, which takes some seconds, while something else goes on."""
    Thread(target=_import).start()


def _import() -> None:
    with suppress(Exception), loading():  # what fails is told by whoever draws
        from .. import draw  # noqa: F401


def draw_with_progress(course: Course, seed: int, *, public: bool) -> AnswerKey:
    """`attention_kata.draw.draw`, with a line on standard error that, on a terminal, says how far."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        console.print("kata: drawing an answer key, which takes up to half a minute", markup=False, soft_wrap=True)
    with console.status("drawing an answer key: importing torch") as status:
        from ..draw import draw

        return draw(
            course,
            seed,
            public=public,
            jobs=os.cpu_count() or 1,
            progress=lambda name: status.update(f"drawing an answer key: {name}"),
        )
