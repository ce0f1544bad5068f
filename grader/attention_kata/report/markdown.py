"""A student's feedback as Markdown that shows the same in every reader: no HTML, no tables, nothing to load."""

from __future__ import annotations

from collections.abc import Iterator

from ..text import markdown, on_one_line
from .feedback import ExerciseFeedback, Feedback, Told


def as_markdown(feedback: Feedback) -> str:
    return "\n".join(_lines(feedback)) + "\n"


def _lines(f: Feedback) -> Iterator[str]:
    yield f"# {markdown(f.title)}"
    yield ""
    id = f" ({markdown(on_one_line(f.id))})" if f.id != f.name else ""
    yield f"For {markdown(on_one_line(f.name))}{id}"
    yield ""
    if f.points != "–":
        yield f"**{f.points} of {f.max_points} points**"
        yield ""
    yield from (line for text in (f.opening, f.lateness) if text for line in (markdown(text), ""))
    for comment in f.comments:
        yield f"Your instructor: {markdown(comment)}"
        yield ""
    for exercise in f.exercises:
        yield from _exercise(exercise)


def _exercise(exercise: ExerciseFeedback) -> Iterator[str]:
    yield f"## {markdown(exercise.name)}: {exercise.points} of {exercise.max_points} points"
    yield ""
    for told in exercise.told:
        yield from _told(told)
    for check in exercise.checks:
        points = f"{check.points} of {check.max_points}"
        yield f"- {check.mark} {markdown(check.title)}: {markdown(check.verdict)}, {points}"
        if check.comment:
            yield f"  Your instructor: {markdown(check.comment)}"
    yield ""


def _told(told: Told) -> Iterator[str]:
    where = f" ({markdown(told.place)})" if told.place else ""
    yield f"**{markdown(told.message)}**{where}"
    yield ""
    if told.hint:
        yield f"*{markdown(told.hint)}*"
        yield ""
    yield f"Checks affected: {markdown(', '.join(told.titles))}."
    yield ""
