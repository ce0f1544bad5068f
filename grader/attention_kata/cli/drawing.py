"""Drawing a key while saying how far it has got."""

from __future__ import annotations

import os

from ..course import Course
from ..model import AnswerKey


def draw_with_progress(course: Course, seed: int, *, public: bool) -> AnswerKey:
    """`attention_kata.draw.draw`, with a line on standard error where that is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("drawing an answer key: importing torch") as status:
        from ..draw import draw

        return draw(
            course,
            seed,
            public=public,
            jobs=os.cpu_count() or 1,
            progress=lambda name: status.update(f"drawing an answer key: {name}"),
        )
