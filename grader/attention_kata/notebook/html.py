"""What was found about an exercise, as HTML.  Made of the evidence alone; whatever students wrote is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..judge.evidence import MARKS, CheckEvidence, Evidence, ExerciseEvidence, State
from ..sandbox.layers import missing
from ..text import visible
from .heatmap import heat_maps
from .shell import Shown

if TYPE_CHECKING:
    from ..key.model import AnswerKey, Exercise

MAX_OUTPUT = 12  # lines of what the code printed
MAX_LINE = 500
COLOURS = {State.PASSED: "#1a7f37", State.PARTLY: "#9a6700", State.NONE: "#cf222e", State.NEW: "#6e7781"}
BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.45;max-width:60em;margin:.3em 0"
DIM = "opacity:.7;font-size:90%"
PRE = "white-space:pre-wrap;margin:.2em 0 .2em 1.5em;font-size:90%"


def full(evidence: Evidence, exercise: ExerciseEvidence) -> Shown:
    """Every cause once, with its evidence, its question and its heat map; what was printed; the isolation."""
    body = [_head(exercise)]
    if exercise.not_started:
        body.append(f"<div style='margin-left:1.5em'>{_text(exercise.failing[0].hint or 'Not started.')}</div>")
    else:
        body += [_cause(checks) for checks in exercise.causes]
    body += [_printed(evidence.output), _isolation(evidence.isolation)]
    return Shown(f"<div style='{BOX}'>{''.join(body)}</div>", in_text(exercise))


def brief(exercise: ExerciseEvidence) -> Shown:
    """The checks and why they fail, without any number of the answer key."""
    lines = [
        f"<div>{MARKS[State.NONE]} {_text(check.title)}: {_text(check.message)}</div>" for check in exercise.failing
    ]
    return Shown(f"<div style='{BOX}'>{_head(exercise)}{''.join(lines)}</div>", in_text(exercise))


def listing(key: AnswerKey) -> Shown:
    """All exercises in order, under the names of their topics."""
    rows, lines, file = [], [], ""
    for exercise in key.exercises:
        if exercise.file != file:
            file = exercise.file
            rows.append(f"<tr><td colspan=3 style='text-align:left'><b>{_text(file.removesuffix('.py'))}</b></td></tr>")
        cells = (_text(exercise.name), f"{exercise.points:g}", _text(exercise.summary))
        rows.append("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>")
        lines.append(f"{exercise.name}  {exercise.points:g}  {exercise.summary}")
    last = f"{key.title}: {len(key.exercises)} exercises, {key.points:g} points."
    table = f"<table style='border-collapse:collapse'>{''.join(rows)}</table>"
    return Shown(f"<div style='{BOX}'>{table}<div>{_text(last)}</div></div>", "\n".join([*lines, last]))


def hint(exercise: Exercise, level: int) -> Shown:
    """One of the three hints."""
    title, text = f"{exercise.name}, hint {level} of {len(exercise.hints)}", exercise.hints[level - 1]
    more = f"Still stuck? %kata hint {exercise.name} {level + 1}" if level < len(exercise.hints) else ""
    body = f"<b>{_text(title)}</b><div>{_text(text)}</div><div style='{DIM}'>{_text(more)}</div>"
    return Shown(f"<div style='{BOX}'>{body}</div>", "\n".join(filter(None, (title, text, more))))


def in_text(exercise: ExerciseEvidence) -> str:
    """The same for a terminal, and for whoever reads the notebook as text."""
    lines = [f"{MARKS[exercise.state]} {exercise.id}: {exercise.points:g} of {exercise.max_points:g} points"]
    for checks in exercise.causes:
        lines += [f"  {checks[0].title}: {checks[0].message}", f"  {checks[0].hint}"]
    return "\n".join(visible(line) for line in lines)


def _head(exercise: ExerciseEvidence) -> str:
    state = exercise.state
    return (
        f"<div><b style='color:{COLOURS[state]}'>{MARKS[state]} {_text(exercise.id)}</b>"
        f" &nbsp; {exercise.points:g} of {exercise.max_points:g} points</div>"
    )


def _cause(checks: Sequence[CheckEvidence]) -> str:
    first = checks[0]
    lost = sum(check.max_points - check.points for check in checks)
    heat = next((check.details.heat for check in checks if check.details.heat), None)
    parts = [
        f"<div style='margin-top:.6em'><b>{_text(first.title)}</b>"
        f" <span style='{DIM}'>costs {lost:g} points</span></div>",
        f"<div style='color:{COLOURS[State.NONE]}'>{_text(first.message)}</div>",
    ]
    if first.details.first_mismatch:
        parts.append(f"<pre style='{PRE}'>{_text(first.details.first_mismatch)}</pre>")
    if heat:
        parts.append(heat_maps(heat))
    if first.hint:
        parts.append(f"<div>{_text(first.hint)}</div>")
    if len(checks) > 1:
        again = "Same cause" if first.cause_known else "Also"
        parts.append(f"<div style='{DIM}'>{again}: {_text(', '.join(c.title for c in checks[1:]))}.</div>")
    return "".join(parts)


def _printed(output: str) -> str:
    lines = output.strip("\n").splitlines()
    if not lines:
        return ""
    shown = [line[:MAX_LINE] for line in lines[:MAX_OUTPUT]]
    shown += [f"… and {len(lines) - MAX_OUTPUT} more lines"] if len(lines) > MAX_OUTPUT else []
    return f"<div style='margin-top:.6em'>Your code printed:</div><pre style='{PRE}'>{_text(chr(10).join(shown))}</pre>"


def _isolation(report: Mapping[str, str]) -> str:
    """Learners run their own code: without a sandbox it is checked all the same, and they are told."""
    if not report or not missing(report):
        return ""
    return f"<div style='{DIM}'>Checked without a full sandbox, which this machine does not offer.</div>"


def _text(text: str) -> str:
    """Escaped, and with what cannot be seen made visible."""
    return escape(visible(text), quote=True)
