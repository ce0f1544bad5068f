"""Why a file has no function or class of a name: read in its source, never run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from .names import Source, Sources
from .syntax import Definition, Imported

ALIKE = 0.8  # of two names, from 0 to 1
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Why(StrEnum):
    """What is there in its place."""

    UNWRITTEN = "unwritten"  # nothing
    MISSPELLED = "misspelled"  # `name` is much like it
    INSIDE = "inside"  # it stands inside `name`
    CLASS = "class"  # a class where a function is asked for
    FUNCTION = "function"  # the reverse


@dataclass(frozen=True)
class Absent:
    why: Why
    name: str = ""
    line: int | None = None


def absent(sources: Sources, file: str, name: str, wanted: str, others: Collection[str] = ()) -> Absent | None:
    """Why `file` has no `wanted` ("function" or "class") called `name`; None where it has, or where nothing is sure.

    `others` are names that mean something else, however much they are like it.
    """
    source = sources.read(file) if file in sources.files else None
    if source is None or "*" in source.imports:
        return None
    defined = source.definitions.get(name)
    if defined:
        return _other_kind(defined, wanted)
    inside = [(holder.name, node.lineno) for holder, node in _inside(source) if node.name == name]
    if inside:
        return Absent(Why.INSIDE, *inside[-1])
    near = [(each, likeness) for each in source.definitions if (likeness := _likeness(each, name)) >= ALIKE]
    near = [(each, likeness) for each, likeness in near if each not in others and _line(source, each) is not None]
    if near:
        best = max(near, key=lambda pair: pair[1])[0]
        return Absent(Why.MISSPELLED, best, _line(source, best))
    return Absent(Why.UNWRITTEN)


def _other_kind(defined: Collection[Definition], wanted: str) -> Absent | None:
    """Only where it is certain: each of its definitions is of the other kind."""
    kind: type[ast.AST] | tuple[type[ast.AST], ...] = ast.ClassDef
    why = Why.CLASS
    if wanted == "class":
        kind, why = (ast.FunctionDef, ast.AsyncFunctionDef), Why.FUNCTION
    for each in defined:
        if isinstance(each, Imported) or not isinstance(each, kind) or getattr(each, "decorator_list", None):
            return None  # a decorator can make anything of it
    return Absent(why, "", max(getattr(each, "lineno", 1) for each in defined))


def _inside(source: Source) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, ...]]:
    """(what holds it, definition) of everything that is defined in a function or class; innermost holders last."""
    for holder in source.nodes:
        if isinstance(holder, DEFINITIONS):
            for statement in ast.walk(holder):
                if statement is not holder and isinstance(statement, DEFINITIONS):
                    yield holder, statement


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, _letters(one), _letters(other)).ratio()


def _letters(name: str) -> str:
    return name.lower().replace("_", "")


def _line(source: Source, name: str) -> int | None:
    """Where the file defines it itself."""
    lines = [each.lineno for each in source.definitions[name] if isinstance(each, DEFINITIONS)]
    return max(lines, default=None)
