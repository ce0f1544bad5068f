"""Opening what an instructor gave: a folder or an archive, down to where the students are."""

from __future__ import annotations

from pathlib import Path

from ..messages.said import Said, said
from ..text import natural, plain
from .archives.archive import SUFFIXES, open_archive
from .archives.bounds import CLASS
from .attempt import Delivery, IntakeError, subtree
from .layouts import ANSWERS, fitting_platforms
from .tree import Folder, Tree, Unreadable, is_left_out

LEFT_OUT = {"link": "class-link", "special": "class-special"}


def open_class(path: Path, topics: tuple[str, ...]) -> Delivery:
    """The folder or archive at `path`."""
    shown = plain(str(path))
    if path.is_dir():
        return _handed(path, Folder(path), topics)
    if not path.is_file():
        raise IntakeError(f"{shown} does not exist: give the folder or archive that holds the submissions.")
    if path.name.lower().endswith(ANSWERS) and not path.name.lower().endswith(SUFFIXES):
        raise IntakeError(f"{shown} is a single file: give the folder or archive that holds the submissions.")
    try:
        file = path.open("rb")
        archive = open_archive(file, path.name, CLASS)
    except OSError as error:
        raise IntakeError(f"{shown} cannot be read: {error.strerror}. Check its permissions.") from None
    except Unreadable as reason:
        file.close()
        raise IntakeError(f"{shown} {reason}: unpack it yourself, then give the folder.") from None
    return _handed(path, archive, topics, tuple(archive.notes))


def _handed(
    path: Path, tree: Tree, topics: tuple[str, ...], before: tuple[Said, ...] = (), inside: str = ""
) -> Delivery:
    nodes = sorted(tree.nodes(), key=lambda node: natural(node.name))
    nodes = [node for node in nodes if not is_left_out(node.name)]
    notes = (said(LEFT_OUT[node.kind], shown=plain(node.name)) for node in nodes if node.kind in LEFT_OUT)
    files = tuple(node.name for node in nodes if node.kind == "file")
    folders = tuple(node.name for node in nodes if node.kind == "folder")
    return Delivery(
        path=path, tree=tree, topics=topics, files=files, folders=folders, notes=(*before, *notes), inside=inside
    )


def unwrapped(delivery: Delivery, layout: str | None) -> Delivery:
    """Past a folder that everything is in, as programs that make archives like to add one."""
    while len(delivery.folders) == 1 and not _answers(delivery) and not fitting_platforms(delivery):
        [folder] = delivery.folders
        tree = subtree(delivery.tree, folder)
        inner = _handed(delivery.path, tree, delivery.topics, delivery.notes, delivery.origin(folder))
        several = delivery.in_archive and not _holds_topic(inner) and len(inner.folders) + len(_answers(inner)) > 1
        if not fitting_platforms(inner) and not several:
            break
        delivery = inner
    if layout is None and (found := _holds_topic(delivery)):
        raise IntakeError(
            f"{plain(str(delivery.path))} holds {found}, so it looks like one submission: "
            "give the folder that holds the student folders."
        )
    return delivery


def _answers(delivery: Delivery) -> list[str]:
    return [name for name in delivery.files if name.lower().endswith(ANSWERS)]


def _holds_topic(delivery: Delivery) -> str:
    return next((topic for topic in delivery.topics if topic in delivery.files), "")
