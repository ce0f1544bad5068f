"""The words of the course as frozen values.  No torch here: the trusted side starts without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from ..worker.frames import CASES, pack

Array = np.ndarray


class Category(StrEnum):
    """What a check is about."""

    SHAPE = "shape"
    VALUES = "values"
    MASK = "mask"
    GRADIENT = "gradient"
    ROBUSTNESS = "robustness"
    STYLE = "style"


class Asks(StrEnum):
    """What a check looks at in the observations of its cases."""

    SHAPE = "shape"
    VALUES = "values"
    GRADIENT = "gradient"
    RAISES = "raises"
    PURITY = "purity"
    HALF = "half"
    DEVICE = "device"
    OPERATIONS = "operations"
    FORBIDDEN = "forbidden"
    EXAMPLE = "example"  # values, all of which may be shown: they stand in the prompt
    ANY = "any"  # whatever the script of the case asks for: values, gradients, an error, untouched inputs


SCHEMA = 2  # of key files; in schema 1 the prints of all rows were kept
DRAWN = "any: "  # how the names of cases begin that are drawn from all that the prompt allows, or are its corners


@dataclass(frozen=True)
class Call:
    """A step: call a function of the submission, or (target None) the module built before it.

    Arguments are positional unless the contract names a keyword: numpy arrays, numbers, None.
    """

    target: str | None
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Build:
    """A step: make a module of the submission, load `weights` by name, put it in eval mode."""

    target: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Script:
    """The steps of one case and how they are run.

    `dtype` is that of every floating array; `device` "cpu" or "meta"; `upstream` one array (or None)
    per result, to ask for gradients of the sum of result * upstream with respect to every floating
    input and parameter; `purity` watches the inputs, calls twice and builds a second instance;
    `operations` records what is called.
    """

    steps: tuple[Build | Call, ...]
    dtype: str = "float64"
    device: str = "cpu"
    upstream: tuple[Array | None, ...] = ()
    purity: bool = False
    operations: bool = False
    tolerance: float | None = None  # None: that of the dtype
    free: tuple[Array | None, ...] = ()  # per result, True where any finite value will do

    @property
    def fingerprinted(self) -> bool:
        """Whether a mistake is recognised by the numbers of this case, or only by what happens in it."""
        return self.dtype == "float64" and self.device == "cpu"


@dataclass(frozen=True)
class Check:
    """One claim about an exercise.

    `asks` says what is looked at in the observations of `cases`; `expects` is the exception type for
    RAISES; OPERATIONS compares the number of operations of its cases, which must be the same.
    """

    id: str
    title: str
    category: Category  # or its name, as authors write it
    points: float
    cases: tuple[str, ...]
    asks: Asks = Asks.VALUES
    expects: str = ""

    def __post_init__(self) -> None:
        for name, kind in (("category", Category), ("asks", Asks)):
            given = getattr(self, name)
            if given not in tuple(kind):
                raise ValueError(f"check {self.id}: {name} {given!r} is none of {', '.join(kind)}")
            object.__setattr__(self, name, kind(given))
        if not self.cases:
            raise ValueError(f"check {self.id}: name at least one case")


@dataclass(frozen=True)
class Mistake:
    """A wrong variant: what it is called, what it is in words, and the question that leads to the fix."""

    id: str
    message: str
    question: str
    twins: tuple[str, ...] = ()  # ids that no result can tell apart from this one


# ---------------------------------------------------------------------- the answer key


@dataclass(frozen=True)
class DrawnCase:
    """A case with its inputs drawn: what the worker gets (`script`, `arrays`) and what it must never get."""

    id: str
    script: Mapping[str, Any]  # as attention_kata.key.script encodes it
    arrays: Mapping[str, Array]
    results: tuple[Array, ...]  # expected; float64, int64 or bool
    dtypes: tuple[str, ...]
    gradients: Mapping[str, Array | None]
    free: tuple[Array | None, ...]
    exact: tuple[Array, ...]  # half precision: the results in float64 for the same inputs
    raises: str  # the reference's exception type, or ""
    tolerance: float
    fingerprinted: bool
    operations: int = 0  # of the reference: not compared, but a key is known by its bytes, and these are in them

    @property
    def is_drawn(self) -> bool:
        """Whether it is a draw of the exercise's domain, or a corner of it: pairs of mistakes are not run there."""
        return self.id.startswith(DRAWN)

    @property
    def tells_pairs(self) -> bool:
        """Whether every pair of mistakes is run in it, there being so many: its numbers tell them apart."""
        return self.fingerprinted and not (self.is_drawn or self.script["purity"] or self.script["operations"])


@dataclass(frozen=True)
class Mechanism:
    """What a mechanism is called, and the mistakes that can be made in it."""

    name: str
    title: str
    mistakes: tuple[str, ...]


NOT_DRAWN = -1
NOT_CLEARED, CLEARED_BY_NUMBERS, CLEARED_BY_ALL = 0, 1, 2  # by the cases that tell pairs, or only by all together


@dataclass(frozen=True)
class MistakeTable:
    """What each mistake, or pair of mistakes, does in each case.

    `kinds[row, case]` indexes `kind_names` (NOT_DRAWN: any will do); `prints[row, case]` is a random
    projection of all numbers.  The first row, with no ids, is the reference.

    `clears[row, mechanism]` says whether a mechanism is right for sure once the row explains everything: each of
    its mistakes was run together with the row's, and none of the results could be taken for the row.
    """

    ids: tuple[tuple[str, ...], ...]
    kind_names: tuple[str, ...]
    kinds: Array  # int32 (rows, cases)
    prints: Array  # float64 (rows, cases, numbers)
    clears: Array | None = None  # uint8 (rows, mechanisms); None in keys that were drawn before there was one


@dataclass(frozen=True)
class Exercise:
    """One function or class to write, as the answer key knows it."""

    name: str
    file: str
    points: float
    summary: str
    hints: tuple[str, ...]
    checks: tuple[Check, ...]
    cases: tuple[DrawnCase, ...]
    mechanisms: tuple[Mechanism, ...]
    mistakes: MistakeTable
    axes: Mapping[str, int]
    returns: tuple[str, ...]
    mask_result: str
    forbidden: tuple[str, ...]
    twins: tuple[tuple[str, ...], ...] = ()

    def case(self, id: str) -> DrawnCase:
        return self._by_id[id]

    @property
    def asks_for(self) -> str:
        """ "function" or "class"."""
        return "class" if any(s["op"] == "build" for case in self.cases for s in case.script["steps"]) else "function"

    @cached_property
    def _by_id(self) -> Mapping[str, DrawnCase]:
        return {case.id: case for case in self.cases}

    @cached_property
    def job(self) -> bytes:
        """Scripts and inputs as a worker reads them, encoded once for all submissions: nothing that is expected."""
        return cases_frame(self.name, self.file, self.cases)


@dataclass(frozen=True)
class AnswerKey:
    """Everything grading needs: `draw` makes it, `attention_kata.key.file` stores it."""

    course: str
    title: str
    version: str
    torch: str
    seed: int | None  # of public keys only
    exercises: tuple[Exercise, ...]
    catalogue: Mapping[str, Mistake]
    schema: int = SCHEMA  # of the file: a key is known by its bytes, so an old one is written as it was

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def files(self) -> tuple[str, ...]:
        """Topic files in course order."""
        return tuple(dict.fromkeys(exercise.file for exercise in self.exercises))


def cases_frame(exercise: str, file: str, cases: Iterable[DrawnCase]) -> bytes:
    """The scripts and inputs of an exercise's cases."""
    scripts = [{"id": case.id, "script": case.script, "arrays": list(case.arrays)} for case in cases]
    arrays = {f"{case.id}/{name}": array for case in cases for name, array in case.arrays.items()}
    return pack(CASES, {"exercise": exercise, "file": file, "cases": scripts}, arrays)
