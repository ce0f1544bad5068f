"""What an instructor has, turned into attempts of students: folders, files, archives, platforms' downloads.

Imported by the judge and by whatever keeps a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..messages.said import Said
from ..text import natural, plain
from .attempt import Attempt, Delivery, IntakeError
from .layouts import FINDERS, LAYOUTS, fitting
from .opening import open_class, unwrapped
from .submission import bounded

__all__ = ["LAYOUTS", "Attempt", "Intake", "IntakeError", "find_submissions"]

MAX_NOTES = 200


@dataclass(frozen=True)
class Intake:
    """All attempts by student, in natural order, each student's from oldest to newest: the last one counts.

    `notes` has a message for everything that was left out or refused.
    """

    layout: str
    attempts: tuple[Attempt, ...]
    notes: tuple[Said, ...]


def find_submissions(
    path: Path, topics: Sequence[str], layout: str | None = None, assignment: str | None = None
) -> Intake:
    """List the attempts in a folder or an archive; nothing of a submission is read yet.

    `layout` is one of LAYOUTS, found by looking when it is None; `assignment` chooses one of nbgrader's.
    Raises IntakeError.
    """
    if layout is not None and layout not in LAYOUTS:
        raise IntakeError(f"there is no layout {layout!r}: --layout takes {', '.join(LAYOUTS)}.")
    delivery = unwrapped(open_class(path, tuple(topics)), layout)
    chosen = layout or _recognised(delivery, assignment)
    found = list(FINDERS[chosen](delivery, assignment))
    attempts = [each for each in found if isinstance(each, Attempt)]
    notes = [*delivery.notes, *(each for each in found if isinstance(each, Said))]
    if not attempts:
        raise IntakeError(f"{plain(str(path))} holds no submissions in the layout {chosen}{_found(delivery)}.")
    return Intake(chosen, tuple(sorted(attempts, key=_order)), bounded(notes, MAX_NOTES, "class-more"))


def _recognised(delivery: Delivery, assignment: str | None) -> str:
    """The layout that fits, and no other as well."""
    path = plain(str(delivery.path))
    fits = ["nbgrader"] if assignment is not None else fitting(delivery)
    if len(fits) > 1:
        raise IntakeError(f"{path} can be read as {' or as '.join(fits)}: say which with --layout.")
    if not fits:
        raise IntakeError(
            f"{path} holds no submissions{_found(delivery)}. Expected: a folder or archive with one folder, or one "
            ".py, .ipynb or .zip file, for each student; or a platform's download, unchanged."
        )
    return fits[0]


def _found(delivery: Delivery) -> str:
    names = [*delivery.folders, *delivery.files]
    shown = ", ".join(plain(name) for name in names[:3])
    return f" (found: {shown}{', ...' if len(names) > 3 else ''})" if names else " (it is empty)"


def _order(attempt: Attempt) -> tuple[object, ...]:
    when = attempt.handed_in.timestamp() if attempt.handed_in else 0.0
    return natural(attempt.student), when, natural(attempt.label), natural(attempt.origin)
