"""Canvas's download: one flat folder of `lastnamefirstname_[LATE_]USERID_FILEID_original-name.py`.

All files of a user are one submission: Canvas gives the newest only.  It puts `-1`, `-2` before the ending when a
file of that name was handed in before, and that is taken off again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...messages.said import said
from ...text import plain
from ..attempt import Delivery, Found
from ..tree import Collection, Piece

NAME = re.compile(r"(?P<who>.+?)_(?P<late>LATE_)?(?P<user>[0-9]+)_(?P<file>[0-9]+)_(?P<original>.+)", re.DOTALL)
TEXT = re.compile(r"(?P<who>.+?)_(?P<late>LATE_)?(?P<user>[0-9]+)_text\.html", re.DOTALL)
AGAIN = re.compile(r"(?P<stem>.+?)(?:-(?P<number>[0-9]{1,4}))?(?P<suffix>\.[A-Za-z]+)", re.DOTALL)


@dataclass(frozen=True)
class _File:
    whole: str  # as Canvas calls it
    who: str
    late: bool
    original: str  # as the student called it
    order: tuple[int, int]  # resubmission, file id


def fits(delivery: Delivery) -> bool:
    files = sum(NAME.fullmatch(name) is not None for name in delivery.files)
    found = files + sum(TEXT.fullmatch(name) is not None for name in delivery.files)
    return files > 0 and 2 * found > len(delivery.files) and found > len(delivery.folders)


def attempts(delivery: Delivery, assignment: str | None) -> Iterator[Found]:
    yield from (said("canvas-folder", shown=plain(name)) for name in delivery.folders)
    users: dict[str, list[_File]] = {}
    texts: dict[str, re.Match[str]] = {}
    for name in delivery.files:
        if found := NAME.fullmatch(name):
            original, again = _original(found["original"])
            file = _File(name, found["who"], found["late"] is not None, original, (again, int(found["file"][:18])))
            users.setdefault(found["user"], []).append(file)
        elif typed := TEXT.fullmatch(name):
            texts[typed["user"]] = typed
        else:
            yield said("canvas-stray", shown=plain(name))
    for user, files in users.items():
        yield from _attempt(delivery, user, files)
    for user, typed in texts.items():
        if user in users:
            yield said("canvas-typed", shown=plain(typed[0]))
        else:  # handed in, and not missing
            problem = said("typed-unread", shown=plain(typed[0]))
            yield delivery.attempt(
                user, None, typed[0], name=typed["who"], late=typed["late"] is not None, problem=problem
            )


def _attempt(delivery: Delivery, user: str, files: list[_File]) -> Iterator[Found]:
    pieces: dict[str, Piece] = {}
    for file in sorted(files, key=lambda file: file.order):
        if file.original in pieces:
            yield said("canvas-older", shown=plain(pieces[file.original].path), chosen=plain(file.whole))
        pieces[file.original] = Piece(delivery.tree, file.whole, file.original)
    who, late = files[0].who, any(file.late for file in files)
    yield delivery.attempt(user, Collection(who, pieces), files[0].whole, name=who, late=late)


def _original(name: str) -> tuple[str, int]:
    """(the student's own name of the file, how often it was handed in again)."""
    found = AGAIN.fullmatch(name)
    if found is None or found["number"] is None:
        return name, 0
    return found["stem"] + found["suffix"], int(found["number"])
