"""nbgrader's exchange: `submitted/{student}/{assignment}/{notebook}.ipynb`, with a timestamp.txt beside it.

The course's folder is taken as well as its `submitted`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

from ...messages.said import said
from ...text import natural, plain
from ..attempt import Delivery, Found, IntakeError, subtree
from ..tree import Tree, Unreadable, is_left_out

SUBMITTED = "submitted"
TIMESTAMP = "timestamp.txt"
LOOKED_AT = 20  # students, to recognise the layout
MARKS = {"nbgrader_config.py", "gradebook.db", "source", "release", "autograded", "feedback"}


def fits(delivery: Delivery) -> bool:
    """A folder `submitted` with notebooks, or students' folders with nbgrader's time stamps."""
    students, marked = _students(delivery)
    looked_at = [names for _, names in islice(_assignments(students), LOOKED_AT)]
    return any(
        name.endswith(".ipynb") and (marked or TIMESTAMP in names)
        for assignments in looked_at
        for names in assignments.values()
        for name in names
    )


def may_fit(delivery: Delivery) -> bool:
    """Whether students have several folders with notebooks, which only nbgrader's assignments would explain."""
    students, _ = _students(delivery)
    several = [
        sum(any(name.endswith(".ipynb") for name in names) for names in assignments.values()) > 1
        for _, assignments in islice(_assignments(students), LOOKED_AT)
    ]
    return 2 * sum(several) > len(several)


def attempts(delivery: Delivery, assignment: str | None) -> Iterator[Found]:
    students, _ = _students(delivery)
    found = dict(_assignments(students))
    names = sorted({name for assignments in found.values() for name in assignments}, key=natural)
    if assignment is None and len(names) > 1:
        listed = ", ".join(plain(name) for name in names[:10])
        raise IntakeError(f"{plain(str(delivery.path))} holds the assignments {listed}: choose one with --assignment.")
    chosen = assignment if assignment is not None else (names[0] if names else "")
    if assignment is not None and assignment not in names:
        listed = ", ".join(plain(name) for name in names[:10]) or "none"
        raise IntakeError(f"nobody handed in {plain(assignment)}: --assignment takes one of these: {listed}.")
    for student, assignments in found.items():
        if chosen in assignments:
            tree = subtree(subtree(students, student), chosen)
            when = _time(tree) if TIMESTAMP in assignments[chosen] else None
            more = {"handed_in": when} if when else {}
            yield delivery.attempt(student, tree, f"{student}/{chosen}", **more)
        else:
            yield said("nbgrader-without", shown=plain(student), name=plain(chosen))


def _students(delivery: Delivery) -> tuple[Tree, bool]:
    """(the tree of the students' folders, whether nbgrader is sure to have made it)."""
    if SUBMITTED in delivery.folders and (len(delivery.folders) == 1 or MARKS & {*delivery.folders, *delivery.files}):
        return subtree(delivery.tree, SUBMITTED), True
    name = delivery.inside.rpartition("/")[2] or delivery.path.absolute().name
    return delivery.tree, name == SUBMITTED


def _assignments(students: Tree) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """(student, names of files by assignment) of every student's folder."""
    for student in sorted(_folders(students, ""), key=natural):
        yield (
            student,
            {
                name: [node.name for node in students.nodes(f"{student}/{name}") if node.kind == "file"]
                for name in _folders(students, student)
            },
        )


def _folders(tree: Tree, folder: str) -> list[str]:
    return [node.name for node in tree.nodes(folder) if node.kind == "folder" and not is_left_out(node.name)]


def _time(tree: Tree) -> datetime | None:
    """`2026-10-01 23:59:00.000000 UTC`, the zone by name or offset; UTC where there is none."""
    try:
        text = tree.read(TIMESTAMP, 200).decode("utf-8", "replace").strip()
    except Unreadable:
        return None
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?) ?(\S*)", text)
    if found is None:
        return None
    day, time, zone = found.groups()
    try:
        if zone in ("", "Z", "UTC", "GMT"):
            return datetime.fromisoformat(f"{day}T{time}+00:00")
        if zone[0] in "+-":
            return datetime.fromisoformat(f"{day}T{time}{zone}").astimezone(UTC)
        return datetime.fromisoformat(f"{day}T{time}").replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, OverflowError, KeyError, OSError):
        return None
