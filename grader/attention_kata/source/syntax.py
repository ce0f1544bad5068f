"""Trees of Python's syntax: what stands in a piece of code, in which scope, and what it binds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
IMPORTS = (ast.Import, ast.ImportFrom)
BINDERS = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith,
)  # fmt: skip
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
NAMERS = {  # calls whose texts and keywords become attributes
    "namedtuple", "setattr", "SimpleNamespace", "Namespace", "ModuleDict", "add_module", "register_module",
    "register_buffer", "register_parameter",
}  # fmt: skip
FIELDS = {  # of each kind of node, but for those that never hold code
    kind: [name for name in kind._fields if name not in ("ctx", "op", "ops", "id", "attr", "arg", "names")]
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
LEADS_TO_TORCH = ("torch", "importlib", "sys", "builtins", "attention_kata")
MAX_CHAINED = 20  # attributes of attributes
MAX_NESTED = 60  # expressions in an expression that is worked out
MAX_STEPS = 20_000  # of working out, for one exercise
MAX_TEXT = 1000  # characters of a text that is worked out


@dataclass(frozen=True)
class Imported:
    """`from module import name`, or `import module` where `name` is "", at a line."""

    module: str
    name: str
    line: int


Definition = ast.AST | Imported
Scope = tuple[frozenset[str], "Scope"] | None  # the names that are local to a function, and the scope around it


def children(node: ast.AST) -> list[ast.AST]:
    """What ast.iter_child_nodes gives, but for operators and import aliases.  Every other step of reading is this."""
    found: list[ast.AST] = []
    for name in FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


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
            waiting += [(child, local) for child in children(part)]


def is_local(name: str, scope: Scope) -> bool:
    while scope is not None:
        names, scope = scope
        if name in names:
            return True
    return False


def leads_to_torch(module: str) -> bool:
    return module.split(".")[0] in LEADS_TO_TORCH


def imported_by(node: ast.AST) -> Iterable[tuple[str, Imported]]:
    """(name that is bound, what it is) of an import."""
    return _imported(node) if isinstance(node, IMPORTS) else ()


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Imported]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = alias.name if alias.asname else alias.name.split(".")[0]
            yield alias.asname or module, Imported(module, "", node.lineno)
    else:
        for alias in node.names:
            module = "." * node.level + (node.module or "")
            yield alias.asname or alias.name, Imported(module, alias.name, node.lineno)


def chain(node: ast.AST) -> tuple[ast.AST, list[str]]:
    """`a.b.c` -> (a, [b, c])."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute) and len(attributes) < MAX_CHAINED:
        attributes.append(node.attr)
        node = node.value
    return node, attributes[::-1]


def text_of(node: ast.AST, values: Mapping[str, list[ast.expr]], steps: Iterator[int]) -> str:
    """The text that constants give when they are added or formatted, by name too; "" where it cannot be told.

    Each expression that is looked at takes one of `steps`.
    """
    with suppress(LookupError, ValueError):
        return _fold(node, values, steps, 0)
    return ""


# ---------------------------------------------------------------------- definitions


def statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Statements of a module, and those in its branches, loops and the like."""
    waiting = list(body)
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            inner = (ast.stmt, ast.excepthandler, ast.match_case)
            waiting += [child for child in ast.iter_child_nodes(statement) if isinstance(child, inner)]


def bindings(statement: ast.AST) -> Iterator[tuple[str, Definition]]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name, statement
        return
    yield from imported_by(statement)
    simple = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign)
    for target, value in assigned(statement):
        for name in ast.walk(target):
            if isinstance(name, ast.Name):  # `Helper.go = ...` belongs to Helper
                yield name.id, statement if simple else value
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            for node in ast.walk(child):
                if isinstance(node, ast.NamedExpr):
                    yield node.target.id, child  # all of it: values within values would be read over and over


def assigned(node: ast.AST) -> Iterable[tuple[ast.expr, ast.expr]]:
    """(target, value) of whatever binds names to values; pairs are taken apart."""
    return _pairs(node) if isinstance(node, BINDERS) else ()


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
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
        case ast.With() | ast.AsyncWith():
            yield from ((item.optional_vars, item.context_expr) for item in node.items if item.optional_vars)


def members_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield statement.name
            for target, _ in assigned(statement):
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
    waiting = children(function)
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
        waiting += children(node)
    return frozenset(bound - elsewhere)


# ---------------------------------------------------------------------- texts


def _fold(node: ast.AST, values: Mapping[str, list[ast.expr]], steps: Iterator[int], depth: int) -> str:
    """The text of a constant expression.  LookupError or ValueError where it is none."""
    if depth > MAX_NESTED or next(steps, None) is None:
        raise ValueError("nested too deeply, or too long")
    inner: list[ast.expr]
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name):
            inner = values[name][:1]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            inner = [left, right]
        case ast.JoinedStr(values=inner):
            pass
        case ast.FormattedValue(value=value, format_spec=None):
            inner = [value]
        case _:
            raise ValueError("no constant")
    text = "".join([_fold(each, values, steps, depth + 1) for each in inner])
    if len(text) > MAX_TEXT:
        raise ValueError("too long")
    return text
