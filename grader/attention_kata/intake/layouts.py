"""The shapes in which classes come, how each is recognised, and the attempts in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as Names

from ..messages.said import said
from ..text import plain
from .archives.archive import SUFFIXES
from .attempt import Delivery, Found, subtree
from .platforms import canvas, classroom, gradescope, moodle, nbgrader
from .tree import Collection, Piece, walk

ANSWERS = (".py", ".ipynb", *SUFFIXES)
UNREAD = (".rar", ".7z")
DOCUMENTS = (".doc", ".docx", ".odt", ".pages", ".pdf", ".rtf")  # by which somebody may have meant to hand in


def folders(delivery: Delivery, assignment: str | None) -> Iterable[Found]:
    """One folder for each student."""
    yield from (
        said("class-stray", shown=plain(name))
        for name in delivery.files
        if name.lower().endswith((*ANSWERS, *UNREAD, *DOCUMENTS))
    )
    for name in delivery.folders:
        yield delivery.attempt(name, subtree(delivery.tree, name), name)


def files(delivery: Delivery, assignment: str | None) -> Iterable[Found]:
    """One file for each student, called by the student's name; ada.py and ada.ipynb are both ada's."""
    yield from (said("class-folder", shown=plain(name)) for name in delivery.folders)
    yield from _single(delivery, {name for name in delivery.files if not _is_single(name)})


def mixed(delivery: Delivery, assignment: str | None) -> Iterable[Found]:
    """A folder or a file for each student; where folders are not the most, those alone in which there is an answer."""
    single = {_stem(name) for name in delivery.files if _is_single(name)}
    few = len(delivery.folders) <= len(single)
    count = 0
    for name in delivery.folders:
        tree = subtree(delivery.tree, name)
        if few and not any(map(_is_answer, walk(tree))):
            yield said("class-folder-without", shown=plain(name))
            continue
        count += 1
        yield delivery.attempt(name, tree, name)
    yield from _single(delivery, {name for name in delivery.files if name.lower().endswith(DOCUMENTS)})
    if count:
        yield said("class-mixed", number=count, total=len(single))


def _single(delivery: Delivery, others: Names[str]) -> Iterable[Found]:
    """The attempts of those who handed in a file; `others` are left out with a note."""
    of_student: dict[str, list[str]] = {}
    for name in delivery.files:
        if _is_single(name):
            of_student.setdefault(_stem(name), []).append(name)
        elif name in others:
            yield said("class-no-answer", shown=plain(name))
    for student, names in of_student.items():
        pieces = {name: Piece(delivery.tree, name, name) for name in names}
        alone = len(names) == 1 and names[0].lower().endswith(UNREAD)
        problem = said("unread-kind", shown=plain(names[0])) if alone else None
        yield delivery.attempt(student, Collection(student, pieces), names[0], problem=problem)


def _is_single(name: str) -> bool:
    """Whether a file beside others may be what somebody handed in."""
    return name.lower().endswith((*ANSWERS, *UNREAD))


def _is_answer(name: str) -> bool:
    return name.lower().endswith(ANSWERS)


def _stem(name: str) -> str:
    suffix = next((end for end in sorted((*ANSWERS, *UNREAD), key=len, reverse=True) if name.lower().endswith(end)), "")
    return name[: len(name) - len(suffix)] or name


FINDERS: Mapping[str, Callable[[Delivery, str | None], Iterable[Found]]] = {
    "folders": folders,
    "files": files,
    "mixed": mixed,
    "canvas": canvas.attempts,
    "moodle": moodle.attempts,
    "gradescope": gradescope.attempts,
    "classroom": classroom.attempts,
    "nbgrader": nbgrader.attempts,
}
LAYOUTS = tuple(FINDERS)
PLATFORMS: Mapping[str, Callable[[Delivery], bool]] = {
    "canvas": canvas.fits,
    "moodle": moodle.fits,
    "gradescope": gradescope.fits,
    "classroom": classroom.fits,
    "nbgrader": nbgrader.fits,
}


def fitting_platforms(delivery: Delivery) -> list[str]:
    return [layout for layout, fits in PLATFORMS.items() if fits(delivery)]


def fitting(delivery: Delivery) -> list[str]:
    """The layouts that fit: platforms first, since each has marks of its own; otherwise folders, files, or both."""
    platforms = fitting_platforms(delivery)
    if platforms:
        return platforms
    single = any(map(_is_single, delivery.files))
    fits = ["mixed"] if single and delivery.folders else ["files"] * single + ["folders"] * bool(delivery.folders)
    if nbgrader.may_fit(delivery):
        fits.append("nbgrader")
    return fits
