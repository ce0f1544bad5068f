"""The shapes in which classes come, how each is recognised, and the attempts in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..tree import Collection, Piece
from .archive import SUFFIXES
from .attempt import Attempt, Handed, subtree
from .platforms import canvas, classroom, gradescope, moodle, nbgrader
from .words import plain

ANSWERS = (".py", ".ipynb", *SUFFIXES)
UNREAD = (".rar", ".7z")
CLEARLY = 4  # times as many folders as files, or the other way round


def folders(handed: Handed, assignment: str | None) -> Iterable[Attempt]:
    """One folder for each student."""
    handed.notes.extend(
        f"{plain(name)} is in no student's folder: left out." for name in handed.files if _is_answer(name)
    )
    for name in handed.folders:
        yield handed.attempt(name, subtree(handed.tree, name), name)


def files(handed: Handed, assignment: str | None) -> Iterable[Attempt]:
    """One file for each student, called by the student's name; ada.py and ada.ipynb are both ada's."""
    handed.notes.extend(f"{plain(name)} is a folder: left out." for name in handed.folders)
    of_student: dict[str, list[str]] = {}
    for name in handed.files:
        if _is_answer(name) or name.lower().endswith(UNREAD):
            of_student.setdefault(_stem(name), []).append(name)
        else:
            handed.notes.append(f"{plain(name)} is no Python file, notebook or archive: left out.")
    for student, names in of_student.items():
        pieces = {name: Piece(handed.tree, name, name) for name in names}
        unread = next((name for name in names if name.lower().endswith(UNREAD)), "")
        problem = f"{plain(unread)} is of a kind that is not read here: a .zip was expected." if unread else ""
        problem = "" if len(names) > 1 else problem
        yield handed.attempt(student, Collection(student, pieces), names[0], problem=problem)


def _is_answer(name: str) -> bool:
    return name.lower().endswith(ANSWERS)


def _stem(name: str) -> str:
    suffix = next((end for end in sorted((*ANSWERS, *UNREAD), key=len, reverse=True) if name.lower().endswith(end)), "")
    return name[: len(name) - len(suffix)] or name


FINDERS: Mapping[str, Callable[[Handed, str | None], Iterable[Attempt]]] = {
    "folders": folders,
    "files": files,
    "canvas": canvas.attempts,
    "moodle": moodle.attempts,
    "gradescope": gradescope.attempts,
    "classroom": classroom.attempts,
    "nbgrader": nbgrader.attempts,
}
LAYOUTS = tuple(FINDERS)
PLATFORMS: Mapping[str, Callable[[Handed], bool]] = {
    "canvas": canvas.fits,
    "moodle": moodle.fits,
    "gradescope": gradescope.fits,
    "classroom": classroom.fits,
    "nbgrader": nbgrader.fits,
}


def attempts_of(layout: str, handed: Handed, assignment: str | None) -> list[Attempt]:
    return list(FINDERS[layout](handed, assignment))


def fitting_platforms(handed: Handed) -> list[str]:
    return [layout for layout, fits in PLATFORMS.items() if fits(handed)]


def fitting(handed: Handed) -> list[str]:
    """The layouts that fit: platforms first, since each has marks of its own; otherwise folders, files, or both."""
    platforms = fitting_platforms(handed)
    if platforms:
        return platforms
    single, several = sum(map(_is_answer, handed.files)), len(handed.folders)
    fits = []
    if several and several * CLEARLY > single:
        fits.append("folders")
    if single and single * CLEARLY > several:
        fits.append("files")
    if nbgrader.may_fit(handed):
        fits.append("nbgrader")
    return fits
