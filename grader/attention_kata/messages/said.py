"""A message before it is words: which template, and what stands in its slots.

`render` makes words of it, for one reader in one language.  Nothing ever takes those words apart again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec


class Place(msgspec.Struct, frozen=True, omit_defaults=True, tag="place", tag_field="is"):
    """Where in somebody's work: a line of a file, or a line of a cell of a notebook."""

    file: str
    line: int | None = None
    cell: int | None = None


class Said(msgspec.Struct, frozen=True, omit_defaults=True, tag="said", tag_field="is"):
    """`template` is the id of one of `templates.TEMPLATES`; the names of its slots say what they may hold."""

    template: str
    slots: dict[str, Slot] = {}

    def templates(self) -> Iterator[str]:
        """Its template, and those of the messages in its slots."""
        yield self.template
        for slot in self.slots.values():
            for each in slot if isinstance(slot, tuple) else (slot,):
                if isinstance(each, Said):
                    yield from each.templates()

    def relocated(self, where: Callable[[Place], Place]) -> Said:
        """The same with every place in it put through `where`."""
        return Said(self.template, {name: _relocated(slot, where) for name, slot in self.slots.items()})


Slot = str | int | float | None | Place | Said | tuple[str | int | Said, ...]


def _relocated(slot: Slot, where: Callable[[Place], Place]) -> Slot:
    match slot:
        case Place():
            return where(slot)
        case Said():
            return slot.relocated(where)
        case tuple():
            return tuple(each.relocated(where) if isinstance(each, Said) else each for each in slot)
    return slot


def said(template: str, **slots: Slot) -> Said:
    """A message; slots that hold nothing are left out, and so are the parts of the template they belong to."""
    return Said(template, {name: slot for name, slot in slots.items() if slot is not None and slot != ""})


def as_text(text: str) -> Said:
    """A text whose facts are not known, such as one from a database of an earlier release."""
    return Said("text", {"text": text})
