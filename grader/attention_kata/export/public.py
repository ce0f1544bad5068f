"""What a student may read of a verdict on a platform: our own words, and nothing that the submission itself said.

A submission sees the hidden inputs, so an exception's text, the name of a type or what it prints could hold
them: all of that is left out, and so are the evidence's numbers, which come from the answer key.  `kata check`,
with the public key, shows everything.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..gradebook.standing import Standing
from ..judge.audience import IN_GENERAL, may_tell
from .table import comments

MORE = "`kata check` on your own machine says more."
UNREADABLE = re.compile(
    r"is (?:missing|a folder|not a regular file|a link|larger|not UTF-8 text|empty)|cannot be read|holds a NUL byte"
)
PLACE = re.compile(r"^(?:It should raise (\w+) here\. )?(\w+)(?: in ([\w/]+\.py), line (\d+))?")
FIXED = {
    "passed": "",
    "timeout": f"It did not finish in its time. {MORE}",
    "crashed": f"Python itself ended while it ran. {MORE}",
    "ungradable": "This check could not be carried out; that is not your fault.",
}


@dataclass(frozen=True, kw_only=True)
class PublicCheck:
    """One check, as its student may read it."""

    exercise: str
    check: str
    title: str
    verdict: str
    points: float
    max_points: float
    message: str
    hint: str
    file: str
    line: int | None  # None in a notebook: it counts in a cell there, and not in the file
    seconds: float

    @property
    def full(self) -> bool:
        """Whether all the points are given; a check without points passes by its verdict."""
        return self.points >= self.max_points if self.max_points else self.verdict == "passed"


def told(row: Standing) -> Iterator[PublicCheck]:
    """Every check of `row`, with its points as decided by hand or else as graded."""
    for exercise in row.exercises:
        for check in exercise["checks"]:
            passed = check["verdict"] == "passed"
            yield PublicCheck(
                exercise=exercise["id"],
                check=check["id"],
                title=check["title"],
                verdict=check["verdict"],
                points=row.check_points(exercise["id"], check),
                max_points=float(check["max_points"]),
                message=message(exercise, check),
                hint="" if passed else check["hint"],
                file=exercise["file"],
                line=None if passed or "learner_cell" in check else check["learner_line"],
                seconds=float(check.get("seconds") or 0.0),
            )


def message(exercise: Mapping[str, Any], check: Mapping[str, Any]) -> str:
    """Why a check does not pass, without anything that the submission or the key put into the words."""
    verdict, text = str(check["verdict"]), str(check["message"])
    if verdict in FIXED:
        return FIXED[verdict]
    if verdict == "skipped":
        if text.startswith("Not checked:"):
            return f"Not checked: something in {exercise['file']} hides which functions are called. {MORE}"
        return "Skipped: another check of this exercise says why."
    if verdict != "failed" and not check["mistakes"]:
        return _error(exercise, text)
    said = may_tell(check, (str(exercise["file"]),))
    return f"This is not yet what the exercise asks for. {MORE}" if said == IN_GENERAL["failed"] else said


def _error(exercise: Mapping[str, Any], text: str) -> str:
    """Which exception and where; its text is the submission's own, and so is the name of a type of its own."""
    file = str(exercise["file"])
    if text in (f"There is no {kind} named {exercise['id']} in {file}." for kind in ("function", "class")):
        return text
    unreadable = UNREADABLE.match(text, len(file) + 1) if text.startswith(f"{file} ") else None
    if unreadable:
        return f"{file} {unreadable[0].replace('larger', 'too large')}."
    found = PLACE.match(text)
    due, name, place, line = found.groups() if found else (None, "", None, None)
    if not _is_exception(name):
        return f"It could not be run as the exercise asks. {MORE}"
    where = f" in {place}, line {line}" if place == file else ""
    wanted = f"It should raise {due} here. " if due and _is_exception(due) else ""
    return f"{wanted}{name}{where}. {MORE}"


def _is_exception(name: str) -> bool:
    known = getattr(builtins, name, None)
    return isinstance(known, type) and issubclass(known, BaseException)


STATUS = {
    "missing": "Nothing was handed in.",
    "unreadable": "What was handed in could not be read: ask your instructor.",
    "ungradable": "This could not be graded; that is not your fault. It has to be run again.",
    "waiting": "This has not been graded yet.",
}


def summary(row: Standing) -> str:
    """What there is to say of the whole submission: why there is no grade, what was decided by hand, lateness."""
    said = [STATUS[row.status]] if row.points is None and row.status in STATUS else []
    if row.penalty and row.before_late is not None:
        said.append(f"Handed in late: {100 * row.penalty:g}% of {row.before_late:g} points are taken off.")
    return "\n".join([*said, *comments(row)])
