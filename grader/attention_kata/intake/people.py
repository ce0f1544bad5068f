"""Who is who: the one way in which ids, addresses and names of two lists are compared, coming in and going out.

A value is first compared as it is written, then in looser forms.  Where several people fit the surest form that fits
anybody, a looser one would be a guess.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Form = Callable[[str], str]


def written(text: str) -> str:
    """The same characters, whichever code points they are composed of: a folder's name is written in others."""
    return unicodedata.normalize("NFC", text).strip()


def normal(text: str) -> str:
    """Texts that a person would call the same: however wide, spaced, composed or capitalised."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def loose(text: str) -> str:
    """An id or an address; as Moodle's `Participant 123` too."""
    return normal(text).removeprefix("participant ")


def turned(name: str) -> str:
    """`Last, First` as `first last`; "" where a name does not say so clearly which part is which."""
    last, _, first = (part.strip() for part in normal(name).partition(","))
    return f"{first} {last}" if first and last and "," not in first else ""


def in_order(name: str) -> str:
    return turned(name) or normal(name)


def letters(name: str) -> str:
    """A name without accents, case, spaces and signs."""
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in decomposed if letter.isalnum()).casefold()


@dataclass(frozen=True)
class Name:
    """`full` in the order in which it is written; `reversed` the other way round, where the parts are known."""

    full: str
    reversed: str = ""

    @classmethod
    def of(cls, first: str, last: str) -> Name | None:
        """Of both parts: one alone says too little."""
        return cls(f"{first} {last}", f"{last} {first}") if first and last else None

    @property
    def in_order(self) -> str:
        return normal(self.full) if self.reversed else in_order(self.full)

    @property
    def in_any_order(self) -> list[str]:
        return [self.in_order, normal(self.full), normal(self.reversed)]


@dataclass(frozen=True)
class Index(Generic[T]):
    """Who has which value: for each form in which it is looked up, the surest first, the people by that form."""

    levels: Sequence[tuple[Form, Mapping[str, Sequence[T]]]]

    def fitting(self, value: str) -> Sequence[T]:
        """Those whom the surest form fits that fits anybody."""
        return next((found for form, table in self.levels if (found := table.get(form(value)))), ())

    def one(self, value: str) -> T | None:
        """The only one whom it fits."""
        found = self.fitting(value)
        return found[0] if len(found) == 1 else None


def each_name_once(names: Sequence[str], known: Index[T]) -> list[tuple[T, bool] | None]:
    """For each name of a list the only one whom it fits, and whether it is spelled as theirs, first name first.

    A name that stands in the list several times is nobody's.
    """
    _, as_spelled = known.levels[0]
    spelled = Counter(map(in_order, names))
    lettered = Counter(letters(in_order(name)) for name in names)

    def one(name: str) -> tuple[T, bool] | None:
        for form, table in known.levels:
            if found := table.get(form(name)):
                often = lettered[letters(in_order(name))] if form is letters else spelled[in_order(name)]
                own = as_spelled.get(in_order(name), ())
                return (found[0], any(each is found[0] for each in own)) if len(found) == often == 1 else None
        return None

    return list(map(one, names))


def by_exact(people: Iterable[T], of: Callable[[T], Iterable[str]]) -> Index[T]:
    """By ids that tell capitals from small letters."""
    people = list(people)
    return Index([(str, _table(people, of, str)), (written, _table(people, of, written))])


def by_value(people: Iterable[T], of: Callable[[T], Iterable[str]]) -> Index[T]:
    """By ids and addresses as platforms write them."""
    people = list(people)
    return Index([(written, _table(people, of, written)), (loose, _table(people, of, loose))])


def by_name(people: Iterable[T], of: Callable[[T], Iterable[Name]]) -> Index[T]:
    """By name: `Last, First`; then either order, since platforms have both; then the letters alone."""
    people = list(people)

    def first_last(person: T) -> list[str]:
        return [name.in_order for name in of(person)]

    def any_order(person: T) -> list[str]:
        return [each for name in of(person) for each in name.in_any_order]

    return Index(
        [
            (turned, _table(people, first_last, str)),
            (normal, _table(people, any_order, str)),
            (letters, _table(people, any_order, letters)),
        ]
    )


def _table(people: Iterable[T], of: Callable[[T], Iterable[str]], form: Form) -> Mapping[str, Sequence[T]]:
    rows: dict[str, list[T]] = {}
    for person in people:
        for key in dict.fromkeys(map(form, of(person))):
            if key:
                rows.setdefault(key, []).append(person)
    return rows
