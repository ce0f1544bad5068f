"""One attempt of one student: where it was found, and how to read it when its turn comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ..errors import KataError
from ..messages.said import Said, said
from .reading import read_answers, unreadable
from .submission import Submission
from .tree import Folder, Subtree, Tree, walk


class IntakeError(KataError):
    """What was given cannot be read as a class, in one line that says what to do."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What one student handed in once; it keeps where its bytes are, not the bytes.

    `student` is the layout's stable identity: the folder's name, the file's stem, Canvas's user id, Moodle's
    participant id, Gradescope's sid (else email), the GitHub user name, nbgrader's student id.  `name` is for
    people, and `label` tells several attempts apart.  `handed_in` comes from the platform's metadata; where a
    layout has none, the newest date that the class's archive gives for its files stands in, in UTC although a
    zip does not say which time zone it means.  Dates of unpacked files mean nothing and are not used.  `late` is
    the platform's own mark.  `origin` is where it was found, relative to what was given.  `problem` says why
    nothing of it can be read.
    """

    student: str
    origin: str
    name: str = ""
    label: str = ""
    handed_in: datetime | None = None
    late: bool | None = None
    email: str = ""
    problem: Said | None = None
    identity: str = ""  # the layout's, where a roster has put its own student_id in the place of it
    tree: Tree | None = field(default=None, repr=False, compare=False)

    def read(self, topics: tuple[str, ...], exercises: Mapping[str, str]) -> Submission:
        """Read it now.  `topics` are the topic files, `exercises` the topic file of each exercise."""
        if self.tree is None or self.problem:
            return unreadable(self.student, topics, self.problem or said("nothing-found", shown=self.origin))
        return read_answers(self.tree, topics, exercises, self.student)


Found = Attempt | Said  # what a layout finds: attempts, and in between what it leaves out


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """What an instructor gave: a folder or an archive, what is at its top, and what is to be told of it."""

    path: Path
    tree: Tree
    topics: tuple[str, ...]
    files: tuple[str, ...]
    folders: tuple[str, ...]
    notes: tuple[Said, ...] = ()
    inside: str = ""  # the folder that everything is in

    @property
    def in_archive(self) -> bool:
        return not isinstance(self.tree, Folder)

    def origin(self, name: str) -> str:
        return f"{self.inside}/{name}" if self.inside else name

    def attempt(self, student: str, tree: Tree | None, origin: str, **more: object) -> Attempt:
        """An attempt with what is known; the archive's dates where `more` has none."""
        facts = {"handed_in": newest(tree) if tree else None, **more}
        return Attempt(student=student, origin=self.origin(origin), tree=tree, **facts)  # type: ignore[arg-type]


def newest(tree: Tree) -> datetime | None:
    """The newest date of the files in an archive."""
    if isinstance(tree, Folder):
        return None
    return max(filter(None, map(tree.dated, walk(tree))), default=None)


def subtree(tree: Tree, folder: str) -> Tree:
    """One folder as a tree of its own, so that no link in it leads to another student's."""
    if isinstance(tree, Folder):
        return Folder(tree.path / folder)
    return Subtree(tree, folder, folder.rpartition("/")[2])
