"""GitHub Classroom's clones: folders `assignment-username`, each with a .git in it.

Nothing is asked of git, since a repository's own configuration can run programs.  When a commit was made is not
read either: the log of a fresh clone (.git/logs/HEAD) has the time of the cloning, so `handed_in` stays unknown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from ...messages.said import said
from ...text import plain
from ..attempt import Delivery, Found, subtree

LOOKED_AT = 20  # folders, to recognise the layout
SUFFIX = "-submissions"  # of the folder that `gh classroom clone student-repos` makes


def fits(delivery: Delivery) -> bool:
    if len(delivery.folders) < 2 or not _prefix(delivery):
        return False
    looked_at = list(islice(delivery.folders, LOOKED_AT))
    return 2 * sum(delivery.tree.exists(f"{folder}/.git") for folder in looked_at) > len(looked_at)


def attempts(delivery: Delivery, assignment: str | None) -> Iterator[Found]:
    prefix = _prefix(delivery)
    yield said("classroom-assignment", name=plain(prefix.rstrip("-")) or said("classroom-unnamed"))
    for folder in delivery.folders:
        if folder.startswith(prefix):
            yield delivery.attempt(folder[len(prefix) :] or folder, subtree(delivery.tree, folder), folder)
        else:
            yield said("classroom-stray", shown=plain(folder), name=plain(prefix))


def _prefix(delivery: Delivery) -> str:
    """What the folders' names have in common, up to a hyphen; the name of the folder around them knows best."""
    around = (delivery.inside.rpartition("/")[2] or delivery.path.absolute().name).removesuffix(SUFFIX) + "-"
    if delivery.folders and all(folder.startswith(around) for folder in delivery.folders):
        return around
    common = os.path.commonprefix(delivery.folders)  # noqa: RUF071  letters are what is meant
    return common[: common.rfind("-") + 1]
