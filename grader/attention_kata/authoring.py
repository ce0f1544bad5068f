"""What a solution module is written in: cases, checks, mechanisms, one `Solution` per exercise.

An author writes the reference, the same computation once more with one keyword per mechanism, the
variants of each mechanism, the cases and the checks.  `attention_kata.course.draw` combines them into an
answer key; `kata dev check` proves that right answers pass and that every mistake is caught and named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .key.model import DRAWN, Asks, Build, Call, Category, Check, Mistake, Script
from .sampling import MOST, Sampler, steepness

__all__ = [
    "DRAWS", "MOST", "Build", "Call", "Case", "Check", "Mechanism", "Mistake", "Promise", "Sampler", "Script",
    "Solution", "any_input", "build", "call", "corner", "example", "steepness", "writings",
]  # fmt: skip

DRAWS = tuple(f"{DRAWN}{i}" for i in range(1, 9))  # the cases that are drawn from the domain of an exercise


def call(target: str, *args: Any, **kwargs: Any) -> Call:
    """Call the submission's function `target`."""
    return Call(target, args, kwargs)


def example(points: float, *more: str) -> Check:
    """The check, before all others, of the example in the prompt: the case "example", and those in `more`."""
    return Check("example", "the prompt's own example", Category.VALUES, points, ("example", *more), Asks.EXAMPLE)


def corner(id: str, script: Callable[[Sampler], Script]) -> Case:
    """A case of the domain that no key may leave to chance; see `any_input`."""
    return Case(f"{DRAWN}{id}", script)


def any_input(points: float, *corners: Case) -> Check:
    """The check that holds the draws of an exercise's domain, and corners of it."""
    cases = (*(case.id for case in corners), *DRAWS)
    return Check("any-input", "any input that the prompt allows", Category.ROBUSTNESS, points, cases, Asks.ANY)


def build(target: str, *args: Any, weights: Mapping[str, np.ndarray], **kwargs: Any) -> Build:
    """Build the submission's class `target` and load `weights` by name."""
    return Build(target, args, kwargs, weights)


@dataclass(frozen=True)
class Case:
    """One set of inputs and what is done with them: `script(sampler)` gives the script."""

    id: str
    script: Callable[[Sampler], Script]

    def having(self, id: str, **changes: Any) -> Case:
        """The same draw under another name, with fields of its script replaced (dtype, device, ...)."""
        return Case(id, _Changed(self, changes))

    @property
    def stream(self) -> str:
        """Name of the random stream: a derived case shares the inputs of the case it comes from."""
        return self.script.case.stream if isinstance(self.script, _Changed) else self.id


@dataclass(frozen=True)
class _Changed:
    case: Case
    changes: Mapping[str, Any]

    def __call__(self, sampler: Sampler) -> Script:
        return replace(self.case.script(sampler), **self.changes)


@dataclass(frozen=True)
class Writings:
    values: tuple[Any, ...]
    alone: tuple[Any, ...] = ()


def writings(*values: Any, alone: tuple[Any, ...] = ()) -> Writings:
    """Several ways to write the same mistake, where they differ in what can be observed.

    Those in `alone` are not drawn in pairs: for what is rare, or shows in cases where nothing else does.
    """
    return Writings(values, alone)


@dataclass(frozen=True)
class Mechanism:
    """One independent decision inside an exercise.

    `right` maps a description to a value; its first entry is the reference's way.  `mistakes` maps an
    id of the catalogue to the wrong value (or to `writings(...)` of it).  Values are handed to the
    solution's `variant` under the keyword `name`.
    """

    name: str
    title: str  # reads well after "Already right:", such as "the scale"
    right: Mapping[str, Any]
    mistakes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Promise:
    """One thing that a prompt promises, in its words, and what shows it: checks by name, or draws of the domain.

    `corners` are what draws must show, each at least now and then: a name, and whether a script shows it.
    """

    words: str
    checks: tuple[str, ...] = ()
    corners: Mapping[str, Callable[[Script], bool]] = field(default_factory=dict)


@dataclass(frozen=True)
class Solution:
    """One exercise as its author writes it."""

    name: str
    points: float
    summary: str  # one line for `kata list`
    reference: Any  # the function or class
    variant: Callable[..., Any]  # one keyword per mechanism -> a function or class in the reference's place
    mechanisms: tuple[Mechanism, ...]
    cases: tuple[Case, ...]
    checks: tuple[Check, ...]
    hints: tuple[str, str, str]
    axes: Mapping[str, int] = field(default_factory=dict)  # size of each named axis, to speak of shapes
    returns: tuple[str, ...] = ("result",)  # what the results are called in messages
    mask_result: str = ""  # "" | "mask": 0/1 of any dtype | "squeeze": that, and axes of size 1 are free
    forbidden: tuple[str, ...] = ()  # functions that would be the exercise itself
    pairs: tuple[tuple[str, ...], ...] | None = None  # groups of mechanisms drawn in pairs; None: all
    twins: tuple[tuple[str, ...], ...] = ()  # ids that are one and the same in this exercise; the first is named
    domain: Callable[[Sampler], Script] | None = None  # any use that the prompt allows; DRAWS are drawn from it
    promises: tuple[Promise, ...] = ()  # what the prompt promises, each with what shows it
    also_right: Mapping[str, Any] = field(default_factory=dict)  # right answers no mechanism describes
    torch_says: Mapping[str, Any] = field(default_factory=dict)  # torch's own; None for what it does not return
