"""Moodle's download: folders `Full Name_PARTICIPANTID_assignsubmission_file_`, or files that begin like that.

What a participant typed into Moodle (`_assignsubmission_onlinetext_`) belongs to the same submission; its HTML is
made plain text again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from html.parser import HTMLParser

from ...messages.said import Said, said
from ...text import plain
from ..attempt import Delivery, Found, subtree
from ..submission import MAX_BYTES
from ..tree import Collection, Node, Piece, Tree, Unreadable

NAME = re.compile(
    r"(?P<who>.+)_(?P<participant>[0-9]+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<original>.*))?", re.DOTALL
)
HTML, TYPED = "onlinetext.html", "onlinetext.py"
BLOCKS = {"p", "div", "pre", "li", "tr"}


def fits(delivery: Delivery) -> bool:
    found = sum(NAME.fullmatch(name) is not None for name in (*delivery.folders, *delivery.files))
    return found > 0 and 2 * found > len(delivery.folders)


def attempts(delivery: Delivery, assignment: str | None) -> Iterator[Found]:
    participants: dict[str, list[tuple[str, re.Match[str]]]] = {}
    for name in (*delivery.folders, *delivery.files):
        if found := NAME.fullmatch(name):
            participants.setdefault(found["participant"], []).append((name, found))
        else:
            yield said("moodle-stray", shown=plain(name))
    for participant, parts in participants.items():
        who = parts[0][1]["who"]
        trees = tuple(_part(delivery, name, found) for name, found in parts)
        shown = "" if who == "Participant" else who  # marked without names
        yield delivery.attempt(
            participant, trees[0] if len(trees) == 1 else Joined(who, trees), parts[0][0], name=shown
        )


def _part(delivery: Delivery, name: str, found: re.Match[str]) -> Tree:
    """One folder or file of a participant."""
    typed = found["kind"] == "onlinetext"
    if name in delivery.folders:
        tree = subtree(delivery.tree, name)
    else:
        original = HTML if typed else found["original"] or name
        tree = Collection(found["who"], {original: Piece(delivery.tree, name, original)})
    return Typed(tree) if typed else tree


@dataclass(frozen=True)
class Joined:
    """Several trees as one; where two have a file of one name, the first tree's is it."""

    name: str
    trees: tuple[Tree, ...]

    def nodes(self, folder: str = "") -> Iterable[Node]:
        found = {node.name: node for tree in reversed(self.trees) for node in tree.nodes(folder)}
        return found.values()

    def _holder(self, name: str) -> Tree:
        return next((tree for tree in self.trees if tree.exists(name)), self.trees[0])

    def exists(self, name: str) -> bool:
        return self._holder(name).exists(name)

    def read(self, name: str, most: int) -> bytes:
        return self._holder(name).read(name, most)

    def shown(self, name: str) -> str | Said:
        return self._holder(name).shown(name)

    def dated(self, name: str) -> datetime | None:
        return self._holder(name).dated(name)


@dataclass(frozen=True)
class Typed:
    """What Moodle keeps as onlinetext.html, as Python."""

    inner: Tree

    @property
    def name(self) -> str:
        return self.inner.name

    def nodes(self, folder: str = "") -> Iterable[Node]:
        return [Node(TYPED, "file") if node.name == HTML else node for node in self.inner.nodes(folder)]

    def _real(self, name: str) -> str:
        return HTML if name == TYPED else name

    def exists(self, name: str) -> bool:
        return self.inner.exists(self._real(name))

    def read(self, name: str, most: int) -> bytes:
        if name != TYPED:
            return self.inner.read(name, most)
        return plain_text(self.inner.read(HTML, MAX_BYTES))[: most + 1]

    def shown(self, name: str) -> str | Said:
        return said("typed-into-moodle") if name == TYPED else self.inner.shown(name)

    def dated(self, name: str) -> datetime | None:
        return self.inner.dated(self._real(name))


class _Text(HTMLParser):
    """Collects text; a paragraph is a line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "br":
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        self.parts.append(data.replace("\xa0", " "))


def plain_text(html: bytes) -> bytes:
    """The text of a page.  Undecodable bytes stay as they are, for whoever reads the result to say so."""
    parser = _Text()
    try:
        parser.feed(html.decode("utf-8-sig"))
        parser.close()
    except UnicodeDecodeError:
        return html
    except (ValueError, AssertionError, RecursionError) as error:  # what the parser says of forged pages
        raise Unreadable(said("cannot-be-read", text=plain(str(error)))) from None
    return "".join(parser.parts).encode()
