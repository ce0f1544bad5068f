"""What the names in a learner's files stand for: read, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from .syntax import (
    Definition,
    Imported,
    Scope,
    assigned,
    bindings,
    called,
    chain,
    children,
    imported_by,
    leads_to_torch,
    members_of,
    parts,
    statements,
)

MAX_READ = 200_000  # characters of a file: what is parsed takes up to 400 times the memory, and seconds
MAX_KEPT = 300_000  # characters of the files that are kept
MAX_IMPORTS = 8  # of one name: the last ones count


@dataclass(frozen=True)
class Code:
    """The pieces of a definition, and the names in them."""

    parts: Sequence[tuple[ast.AST, Scope]]
    words: Set[str]


@dataclass(frozen=True)
class Source:
    """One file of a submission."""

    tree: ast.Module
    _code: dict[ast.AST, Code] = field(default_factory=dict)

    @cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """All of the tree but operators and import aliases, in the order of ast.walk."""
        found: list[ast.AST] = [self.tree]
        for node in found:
            found += children(node)
        return found

    @cached_property
    def definitions(self) -> Mapping[str, list[Definition]]:
        """What is bound to each name of the file's own, in branches and loops too, but not inside functions."""
        found: dict[str, list[Definition]] = {}
        for statement in statements(self.tree.body):
            for name, definition in bindings(statement):
                found.setdefault(name, []).append(definition)
        return found

    @property
    def imports(self) -> Mapping[str, list[Imported]]:
        """Every import of the file, inside functions too, by the name it binds; `*` for all names of a module."""
        return self._everywhere[0]

    @property
    def values(self) -> Mapping[str, list[ast.expr]]:
        """What is assigned to each name anywhere in the file."""
        return self._everywhere[1]

    @property
    def members(self) -> Set[str]:
        """Attributes that the file itself gives to something: methods, fields, what is assigned or named by a text."""
        return self._everywhere[2]

    @cached_property
    def _everywhere(self) -> tuple[dict[str, list[Imported]], dict[str, list[ast.expr]], set[str]]:
        imports: dict[str, list[Imported]] = {}
        values: dict[str, list[ast.expr]] = {}
        members: set[str] = set()
        for node in self.nodes:
            for name, imported in imported_by(node):
                known = imports.setdefault(name, [])
                if not any((imported.module, imported.name) == (other.module, other.name) for other in known):
                    known[:] = [*known[1 - MAX_IMPORTS :], imported]
            for target, value in assigned(node):
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(value)
            members.update(members_of(node))
        return imports, values, members

    @cached_property
    def aliases(self) -> Mapping[str, Set[str]]:
        """What a name is called elsewhere: where it is imported from, or the name that is assigned to it."""
        found: dict[str, set[str]] = {}
        for name, imports in self.imports.items():
            found.setdefault(name, set()).update(imported.name for imported in imports)
        for name, values in self.values.items():
            found.setdefault(name, set()).update(value.id for value in values if isinstance(value, ast.Name))
        return found

    @cached_property
    def from_torch(self) -> frozenset[str]:
        """Names that stand for torch or what is in it, or could fetch it, directly or by way of other names."""
        found = {n for n, imports in self.imports.items() if any(leads_to_torch(i.module) for i in imports)}
        called_so: dict[str, set[str]] = {}
        for name, values in self.values.items():
            for root in (chain(value)[0] for value in values):
                if isinstance(root, ast.Name):
                    called_so.setdefault(root.id, set()).add(name)
                elif isinstance(root, ast.Call) and called(root) in ("__import__", "import_module"):
                    found.add(name)
        waiting = list(found)
        while waiting:
            more = called_so.get(waiting.pop(), set()) - found
            found |= more
            waiting += more
        return frozenset(found)

    def code(self, definition: ast.AST) -> Code:
        """The pieces of a definition of this file; taken apart once, though several exercises may reach it."""
        if definition not in self._code:
            pieces = list(parts(definition))
            self._code[definition] = Code(pieces, {word for part, _ in pieces for word in self.words(part)})
        return self._code[definition]

    def words(self, part: ast.AST) -> Iterator[str]:
        """The names of a name or an attribute, the original ones of others' too."""
        if isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Name):
            yield part.id
            yield from self.aliases.get(part.id, ())


class Sources:
    """The files of a submission, each parsed when it is first asked for; the last ones are kept."""

    def __init__(self, files: Mapping[str, str]):
        self.files = files
        self._kept: dict[str, Source | None] = {}

    def read(self, file: str) -> Source | None:
        """None for what does not parse: then it does not run either.  And for what is too long."""
        if file not in self._kept:
            self._kept[file] = _parse(self.files[file])
            while sum(len(self.files[kept]) for kept in self._kept) > MAX_KEPT:
                del self._kept[next(iter(self._kept))]
            return self._kept.get(file)
        return self._kept[file]

    def module(self, file: str, module: str) -> str:
        """The file that `module` is when it is imported in `file`, or ""."""
        name = module.lstrip(".")
        up = len(module) - len(name)
        path = "/".join([*(file.split("/")[:-up] if up else ()), *(name.split(".") if name else ())])
        return next((each for each in (f"{path}.py", f"{path}/__init__.py") if each in self.files), "")


def _parse(text: str) -> Source | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are between the learner and Python
            return Source(ast.parse(text)) if len(text) <= MAX_READ else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
