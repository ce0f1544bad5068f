"""What the names in a learner's files stand for: read, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
NAMERS = {  # calls whose texts and keywords become attributes
    "namedtuple", "setattr", "SimpleNamespace", "Namespace", "ModuleDict", "add_module", "register_module",
    "register_buffer", "register_parameter",
}  # fmt: skip
LEADS_TO_TORCH = ("torch", "importlib", "sys", "builtins")
TEXT_METHODS = {"join", "format", "lower", "upper", "casefold", "capitalize", "replace", "strip", "removeprefix"}
MOST_NESTED = 60  # expressions in an expression that is worked out
MOST_STEPS = 20_000  # of working out, for one exercise
MOST_TEXT = 1000  # characters of a text that is worked out


@dataclass(frozen=True)
class Imported:
    """`from module import name`, or `import module` where `name` is "", at a line."""

    module: str
    name: str
    line: int


Definition = ast.AST | Imported
Scope = tuple[frozenset[str], "Scope"] | None  # the names that are local to a function, and the scope around it


@dataclass(frozen=True)
class Source:
    """One file of a submission."""

    tree: ast.Module

    @cached_property
    def definitions(self) -> Mapping[str, list[Definition]]:
        """What is bound to each name of the file's own, in branches and loops too, but not inside functions."""
        found: dict[str, list[Definition]] = {}
        for statement in _statements(self.tree.body):
            for name, definition in _bindings(statement):
                found.setdefault(name, []).append(definition)
        return found

    @cached_property
    def imports(self) -> Mapping[str, list[Imported]]:
        """Every import of the file, inside functions too, by the name it binds; `*` for all names of a module."""
        found: dict[str, list[Imported]] = {}
        for node in ast.walk(self.tree):
            for name, imported in imported_by(node):
                found.setdefault(name, []).append(imported)
        return found

    @cached_property
    def members(self) -> frozenset[str]:
        """Attributes that the file itself gives to something: methods, fields, what is assigned or named by a text."""
        return frozenset(name for node in ast.walk(self.tree) for name in _members(node))

    @cached_property
    def values(self) -> Mapping[str, list[ast.expr]]:
        """What is assigned to each name anywhere in the file."""
        found: dict[str, list[ast.expr]] = {}
        for node in ast.walk(self.tree):
            for target, value in _assigned(node):
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(value)
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


def read_source(text: str) -> Source | None:
    """None for what does not parse: then it does not run either."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are between the learner and Python
            return Source(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parts(node: ast.AST) -> Iterator[tuple[ast.AST, Scope]]:
    """Every piece of code in a definition, with the scope in which it stands."""
    waiting: list[tuple[ast.AST, Scope]] = [(node, None)]
    while waiting:
        part, local = waiting.pop()
        yield part, local
        if isinstance(part, FUNCTIONS):
            inner = (_locals(part), local)
            for name, child in _children(part):
                waiting.append((child, inner if name == "body" else local))
        elif isinstance(part, COMPREHENSIONS):
            names = (n.id for g in part.generators for n in ast.walk(g.target) if isinstance(n, ast.Name))
            inner = (frozenset(names), local)
            first = part.generators[0].iter  # is worked out outside
            waiting += [(first, local), *((g.target, inner) for g in part.generators)]
            waiting += [(g.iter, inner) for g in part.generators[1:]]
            waiting += [(condition, inner) for g in part.generators for condition in g.ifs]
            waiting += [(child, inner) for name, child in _children(part) if name != "generators"]
        else:
            waiting += [(child, local) for child in ast.iter_child_nodes(part)]


def is_local(name: str, scope: Scope) -> bool:
    while scope is not None:
        names, scope = scope
        if name in names:
            return True
    return False


def leads_to_torch(module: str) -> bool:
    return module.split(".")[0] in LEADS_TO_TORCH


def imported_by(node: ast.AST) -> Iterator[tuple[str, Imported]]:
    """(name that is bound, what it is) of an import."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = alias.name if alias.asname else alias.name.split(".")[0]
            yield alias.asname or module, Imported(module, "", node.lineno)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            module = "." * node.level + (node.module or "")
            yield alias.asname or alias.name, Imported(module, alias.name, node.lineno)


def chain(node: ast.AST) -> tuple[ast.AST, list[str]]:
    """`a.b.c` -> (a, [b, c])."""
    attributes = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return node, attributes[::-1]


def text_of(node: ast.AST, values: Mapping[str, list[ast.expr]], steps: Iterator[int]) -> str:
    """The text that constants give when they are added, joined, formatted or cut; "" where it cannot be told.

    Each expression that is looked at takes one of `steps`.
    """
    with suppress(LookupError, TypeError, ValueError, AttributeError, OverflowError):
        text = _fold(node, values, steps, 0)
        if isinstance(text, str):
            return text
    return ""


# ---------------------------------------------------------------------- definitions


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Statements of a module, and those in its branches, loops and the like."""
    waiting = list(body)
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, FUNCTIONS | ast.ClassDef):
            inner = (ast.stmt, ast.excepthandler, ast.match_case)
            waiting += [child for child in ast.iter_child_nodes(statement) if isinstance(child, inner)]


def _bindings(statement: ast.AST) -> Iterator[tuple[str, Definition]]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name, statement
        return
    yield from imported_by(statement)
    simple = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign)
    for target, value in _assigned(statement):
        for name in ast.walk(target):
            if isinstance(name, ast.Name):  # `Helper.go = ...` belongs to Helper
                yield name.id, statement if simple else value
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            for node in ast.walk(child):
                if isinstance(node, ast.NamedExpr):
                    yield node.target.id, node.value


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, value) of whatever binds names to values; pairs are taken apart."""
    match node:
        case ast.Assign():
            for target in node.targets:
                yield target, node.value
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(target.elts, node.value.elts, strict=False)
        case ast.AnnAssign(value=ast.expr() as value) | ast.AugAssign(value=value) | ast.NamedExpr(value=value):
            yield node.target, value
        case ast.For() | ast.AsyncFor():
            yield node.target, node.iter
        case ast.withitem(optional_vars=ast.expr() as target):
            yield target, node.context_expr
        case ast.With() | ast.AsyncWith():
            for item in node.items:
                yield from _assigned(item)


def _members(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield statement.name
            for target, _ in _assigned(statement):
                yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield statement.target.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr
    elif isinstance(node, ast.Call) and called(node) in NAMERS:
        yield from (keyword.arg for keyword in node.keywords if keyword.arg)
        constants = (n.value for argument in node.args for n in ast.walk(argument) if isinstance(n, ast.Constant))
        yield from (word for text in constants if isinstance(text, str) for word in text.replace(",", " ").split())


def called(call: ast.Call) -> str:
    """The last name of what is called."""
    function = call.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


# ---------------------------------------------------------------------- scopes


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield name, child


def _locals(function: ast.AST) -> frozenset[str]:
    """Arguments, and the names that a function binds itself."""
    bound, elsewhere = set[str](), set[str]()
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        match node:
            case ast.arg(arg=name):
                bound.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                bound.add(name)
            case ast.Global(names=names):
                elsewhere.update(names)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
                continue
            case ast.Lambda():
                continue
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                bound |= {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
                continue
            case ast.Import() | ast.ImportFrom():
                bound |= {name for name, _ in imported_by(node)}
        waiting += ast.iter_child_nodes(node)
    return frozenset(bound - elsewhere)


# ---------------------------------------------------------------------- texts


def _fold(node: ast.AST | None, values: Mapping[str, list[ast.expr]], steps: Iterator[int], depth: int) -> object:
    """The value of a constant expression.  LookupError, TypeError or ValueError where it is none."""
    if depth > MOST_NESTED or next(steps, None) is None:
        raise ValueError("nested too deeply, or too long")

    def fold(inner: ast.AST | None) -> object:
        return _fold(inner, values, steps, depth + 1)

    value: object
    match node:
        case None:
            value = None
        case ast.Constant(value=str() | int() as value):
            pass
        case ast.Name(id=name):
            value = fold(values[name][0])
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            value = [fold(element) for element in elements]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            value = fold(left) + fold(right)  # type: ignore[operator]
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            parts = fold(right)
            value = fold(left) % (tuple(parts) if isinstance(parts, list) else parts)  # type: ignore[operator]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = -fold(operand)  # type: ignore[operator]
        case ast.JoinedStr(values=elements):
            value = "".join(str(fold(element)) for element in elements)
        case ast.FormattedValue(value=inner, format_spec=None):
            value = fold(inner)
        case ast.Subscript(value=inner, slice=ast.Slice(lower=lower, upper=upper, step=step)):
            value = fold(inner)[slice(fold(lower), fold(upper), fold(step))]  # type: ignore[index]
        case ast.Subscript(value=inner, slice=index):
            value = fold(inner)[fold(index)]  # type: ignore[index]
        case ast.Call(func=ast.Name(id="chr"), args=[code]):
            value = chr(fold(code))  # type: ignore[arg-type]
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="chr"), codes]):
            value = [chr(code) for code in fold(codes)]  # type: ignore[attr-defined]
        case ast.Call(func=ast.Attribute(value=inner, attr=method), args=arguments) if method in TEXT_METHODS:
            text = fold(inner)
            value = getattr(text, method)(*map(fold, arguments)) if isinstance(text, str) else None
        case _:
            raise ValueError("no constant")
    if isinstance(value, str | list) and len(value) > MOST_TEXT or isinstance(value, int) and abs(value) > MOST_TEXT**2:
        raise ValueError("too long")
    return value
