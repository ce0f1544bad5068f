"""Forbidden functions found in the source, by the trusted side: a call that is not made under the checks' inputs,
or that hides from torch's modes, is still there to be read.

Only what an exercise can reach counts: its own definition, and what of the learner's own definitions it names, in
whichever of their files.  A learner's own helper may bear the name of torch's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from .names import Code, Source, Sources
from .syntax import MAX_STEPS, Definition, Imported, Scope, chain, imported_by, is_local, leads_to_torch, text_of

MODULE_CLASSES = {
    "MultiheadAttention": "multi_head_attention_forward",
    "Transformer": "multi_head_attention_forward",
    "TransformerEncoder": "multi_head_attention_forward",
    "TransformerEncoderLayer": "multi_head_attention_forward",
    "TransformerDecoder": "multi_head_attention_forward",
    "TransformerDecoderLayer": "multi_head_attention_forward",
    "Softmax": "softmax",
    "Softmax2d": "softmax",
    "LogSoftmax": "log_softmax",
    "AdaptiveLogSoftmaxWithLoss": "log_softmax",
    "Softmin": "softmin",
}
FETCH = {"getattr", "getattr_static", "attrgetter", "methodcaller", "__getattribute__"}  # by a text
NAMESPACES = {"vars", "__dict__", "globals", "locals", "getmembers"}  # are asked by a text
LOOK_UP = {"get", "pop", "setdefault", "__getitem__", "itemgetter"}
EXECUTE = {"eval", "exec", "compile", "CompilationUnit"}  # a text
LONGEST_KNOWN = 200  # characters of a name that is remembered
MAX_READ = 300_000  # characters of source, for one exercise


@dataclass(frozen=True)
class Use:
    """Where a forbidden function is named."""

    name: str
    file: str
    line: int


def forbidden_name(name: str, forbidden: Sequence[str]) -> str:
    """The forbidden function that `name` is, by whichever of torch's spellings, or ""."""
    judge = _known_name if len(name) <= LONGEST_KNOWN else _forbidden_name
    return judge(name, tuple(forbidden))


def _forbidden_name(name: str, forbidden: tuple[str, ...]) -> str:
    bare = MODULE_CLASSES.get(name, name).strip("_")
    for each in (other.strip("_") for other in forbidden):
        if bare == each:
            return each
        first, _, last = each.rpartition("_")  # _scaled_dot_product_flash_attention_for_cpu, _softmax_backward_data
        if name.startswith("_") and re.fullmatch(rf"{first}_?(\w+_)?{last}(_\w+)?" if first else rf"{last}_\w+", bare):
            return each
    return ""


_known_name = lru_cache(4096)(_forbidden_name)  # the same names come with every submission


def forbidden_use(sources: Sources, file: str, exercise: str, forbidden: Sequence[str]) -> Use | None:
    """The first place where `exercise`, which is defined in `file`, can reach one of the `forbidden` functions."""
    if not forbidden or file not in sources.files:
        return None
    search = _Search(sources, forbidden)
    search.follow(file, exercise)
    search.go_on()
    return min(search.uses(), key=lambda use: (use.file != file, use.line), default=None)


class _Search:
    """Follows names from definition to definition, in all of the learner's files; each is read once."""

    def __init__(self, files: Sources, forbidden: Sequence[str]):
        self.files, self.forbidden = files, forbidden
        self.sources: dict[str, Source | None] = {}
        self.unread = MAX_READ
        self.named: set[tuple[str, str]] = set()
        self.waiting: list[tuple[str, str]] = []  # (file, name) to follow
        self.imported: list[tuple[str, Imported]] = []  # what was reached: names from elsewhere,
        self.code: list[tuple[str, Source, Code]] = []  # and definitions
        self.steps = iter(range(MAX_STEPS))

    # ------------------------------------------------------------------ following

    def go_on(self) -> None:
        """Follow everything that is waiting, and what it leads to."""
        read = set[int]()
        while self.waiting:
            file, name = self.waiting.pop()
            for definition in self.definitions(file, name):
                if id(definition) not in read:
                    read.add(id(definition))
                    self.define(file, definition)

    def define(self, file: str, definition: Definition) -> None:
        source = self.source(file)
        if isinstance(definition, Imported):
            self.fetch(file, definition)
        elif source is not None:
            code = source.code(definition)
            self.code.append((file, source, code))
            for part, scope in code.parts:
                if isinstance(part, ast.Name) and not is_local(part.id, scope):
                    self.follow(file, part.id)
                elif isinstance(part, ast.Attribute):
                    self.attribute(file, source, part)
                for _, imported in imported_by(part):
                    self.fetch(file, imported)

    def follow(self, file: str, name: str) -> None:
        """On to a name of a file, or of the files of the learner's that it has all names from."""
        if (file, name) in self.named:
            return
        self.named.add((file, name))
        self.waiting.append((file, name))
        source = self.source(file)
        if source is not None and name not in source.definitions:
            for star in source.imports.get("*", ()):
                if own := self.files.module(file, star.module):
                    self.follow(own, name)

    def fetch(self, file: str, imported: Imported) -> None:
        self.imported.append((file, imported))
        own = self.files.module(file, imported.module)
        if own and imported.name:
            self.follow(own, imported.name)

    def attribute(self, file: str, source: Source, part: ast.Attribute) -> bool:
        """Follow an attribute of a file of the learner's -> whether it is defined there."""
        root, attributes = chain(part)
        for imported in source.imports.get(root.id, ()) if isinstance(root, ast.Name) else ():
            module = f"{imported.module}.{imported.name}" if imported.name else imported.module
            *folders, name = attributes
            if own := self.files.module(file, ".".join([module, *folders])):
                self.follow(own, name)
                return bool(self.definitions(own, name))
        return False

    def source(self, file: str) -> Source | None:
        """A file of the learner's, as long as those that are reached are not too long together."""
        if file not in self.sources:
            self.unread -= len(self.files.files[file])
            self.sources[file] = self.files.read(file) if self.unread >= 0 else None
        return self.sources[file]

    def definitions(self, file: str, name: str) -> Sequence[Definition]:
        source = self.source(file)
        return source.definitions.get(name, ()) if source else ()

    # ------------------------------------------------------------------ uses

    def uses(self) -> Iterator[Use]:
        """Where what was reached names a forbidden function."""
        for file, imported in self.imported:
            if leads_to_torch(imported.module):
                yield from self.use(file, imported.name, imported.line)
        for file, source, code in self.code:
            for part, scope in code.parts:
                for name in self.names(file, source, part, scope, code.words):
                    yield from self.use(file, name, getattr(part, "lineno", 0))

    def use(self, file: str, name: str, line: int) -> Iterator[Use]:
        if found := forbidden_name(name, self.forbidden):
            yield Use(found, file, line)

    def names(self, file: str, source: Source, part: ast.AST, scope: Scope, words: Set[str]) -> Iterator[str]:
        """What a piece of code may name of torch's."""
        if isinstance(part, ast.Name):
            stars = (star for star in source.imports.get("*", ()) if leads_to_torch(star.module))
            if part.id not in source.definitions and not is_local(part.id, scope) and any(stars):
                yield part.id
        elif isinstance(part, ast.Attribute):
            if isinstance(part.ctx, ast.Load) and not self.is_own(file, source, part):
                yield part.attr
        elif isinstance(part, ast.Subscript):
            if words & NAMESPACES:  # vars(torch)["softmax"]
                yield self.text(part.slice, source)
        elif isinstance(part, ast.Call):
            callee = set(source.words(part.func))
            given = {word for argument in part.args for word in source.words(argument)}
            nameless = not isinstance(part.func, ast.Name | ast.Attribute)  # partial(getattr, torch)("softmax")
            fetches = callee & FETCH or given & FETCH or (nameless and words & FETCH)
            if fetches or (callee & LOOK_UP and words & NAMESPACES):
                yield from (name for argument in part.args for name in self.text(argument, source).split("."))
            if callee & EXECUTE:
                yield from (name for argument in part.args for name in re.findall(r"\w+", self.text(argument, source)))

    def text(self, node: ast.AST, source: Source) -> str:
        return text_of(node, source.values, self.steps)

    def is_own(self, file: str, source: Source, part: ast.Attribute) -> bool:
        """Whether an attribute is the learner's own, of a file or of a class of theirs, and none of torch's."""
        if not forbidden_name(part.attr, self.forbidden):
            return True  # it does not matter
        root, _ = chain(part)
        if isinstance(root, ast.Name):
            if root.id in source.from_torch:
                return False
            if any(not self.files.module(file, imported.module) for imported in source.imports.get(root.id, ())):
                return True  # of another library
        members = (each.members for each in self.sources.values() if each is not None)
        return self.attribute(file, source, part) or any(part.attr in names for names in members)
