"""Which statements of a notebook make its answer: definitions, and the imports and constants they need.

Cells are written to be run once, in front of their author: they plot, print, assert, train.  None of that
may run while someone is graded, and a package for plotting may not be there at all.  So what is kept is
reached from the wanted names: their definitions, the helpers those name, and the imports and simple
constants that any of them needs.  A definition that a later one replaces is left out.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

MAX_READ = 200_000  # characters of a cell: what is parsed takes up to 400 times the memory
CALLS = {  # what a simple constant may call
    "float", "int", "bool", "str", "tuple", "list", "dict", "set", "frozenset", "range", "len", "min", "max", "abs",
    "namedtuple", "partial", "TypeVar", "NewType", "device", "finfo", "iinfo", "is_available", "sqrt", "log", "tensor",
}  # fmt: skip
SIMPLE = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Tuple, ast.List, ast.Dict,
    ast.Set, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr, ast.FormattedValue,
    ast.Lambda, ast.arguments, ast.arg, ast.keyword, ast.expr_context, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
)  # fmt: skip
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
PARSE = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement at the top of a cell, as far as choosing needs to know it."""

    cell: int
    line: int
    text: str
    binds: frozenset[str]
    at_once: frozenset[str]  # names that have to exist when it is run,
    noted: frozenset[str]  # and those in its annotations, which may not be looked up
    names: frozenset[str]  # names that it mentions at all
    defines: str = ""  # the function or class
    always: bool = False
    future: bool = False


def statements(source: str, cell: int) -> Iterator[Statement]:
    """Those statements of a cell that may be kept.  SyntaxError, ValueError, RecursionError or MemoryError."""
    if len(source) > MAX_READ:
        raise ValueError(f"longer than {MAX_READ:,} characters")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = compile(source, "cell", "exec", PARSE, dont_inherit=True)
    lines = [line.encode("utf-8") for line in source.split("\n")]
    assert isinstance(tree, ast.Module)
    for node in tree.body:
        if _may_be_kept(node):
            yield _statement(node, cell, lines)


def _statement(node: ast.stmt, cell: int, lines: Sequence[bytes]) -> Statement:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    last = node.end_lineno or node.lineno
    kept = [*lines[first - 1 : last]]
    kept[-1] = kept[-1][: node.end_col_offset]
    if first == node.lineno:
        kept[0] = kept[0][node.col_offset :]
    names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    defines = node.name if isinstance(node, DEFINITIONS) else ""
    text = b"\n".join(kept).decode("utf-8")
    at_once, noted = _at_once(node)
    return Statement(
        cell=cell,
        line=first,
        text=text,
        binds=frozenset(_binds(node)),
        at_once=at_once,
        noted=noted,
        names=names,
        defines=defines,
        always=future or star,
        future=future,
    )


# ---------------------------------------------------------------------- what may be kept


def _may_be_kept(node: ast.stmt, in_handler: bool = False) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return True
        case ast.Assign(targets=targets, value=value):
            return all(_is_target(target) for target in targets) and _is_simple(value)
        case ast.AnnAssign(target=target, value=value):
            return value is not None and _is_target(target) and _is_simple(value)
        case ast.If(test=test, body=body, orelse=orelse):
            main = any(isinstance(each, ast.Name) and each.id == "__name__" for each in ast.walk(test))
            return not main and _is_simple(test) and all(map(_may_be_kept, [*body, *orelse]))
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            handled = all(_may_be_kept(each, in_handler=True) for handler in handlers for each in handler.body)
            return handled and all(map(_may_be_kept, [*body, *orelse, *final]))
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return in_handler  # try: import ... except ImportError: print(...)
    return False


def _is_target(node: ast.expr) -> bool:
    """Whether a name is assigned to, several, or an attribute of one, as in `Attention.forward = forward`."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(isinstance(each, ast.Name) for each in node.elts)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))


def _is_simple(node: ast.expr) -> bool:
    """Whether an expression is made of literals, names, and calls that make no more than a constant."""
    return all(
        isinstance(each, SIMPLE) or (isinstance(each, ast.Call) and _called(each) in CALLS) for each in ast.walk(node)
    )


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


# ---------------------------------------------------------------------- names


def _binds(node: ast.stmt) -> Iterator[str]:
    """What a statement gives a meaning to; a decorator such as @add_to(Attention) works on Attention, too."""
    match node:
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                yield (alias.asname or alias.name).split(".")[0]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call):
                    yield from (each.id for each in ast.walk(decorator) if isinstance(each, ast.Name))
        case ast.Assign(targets=targets):
            for target in targets:
                yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))
        case ast.AnnAssign(target=target):
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))
        case ast.If(body=body, orelse=orelse):
            for each in [*body, *orelse]:
                yield from _binds(each)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            for each in [*body, *(line for handler in handlers for line in handler.body), *orelse, *final]:
                yield from _binds(each)


def _at_once(node: ast.stmt) -> tuple[frozenset[str], frozenset[str]]:
    """(names that are looked up while the statement runs, those in annotations); not those in bodies of functions."""
    read: dict[bool, set[str]] = {False: set(), True: set()}
    bound: set[str] = set()
    waiting: list[tuple[ast.AST | None, bool]] = [(node, False)]
    while waiting:
        each, noted = waiting.pop()
        match each:
            case None:
                pass
            case ast.Name(id=name, ctx=ast.Load()):
                read[noted].add(name)
            case ast.Name(id=name):
                bound.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                bound.add(each.name)
                waiting += [(part, False) for part in [*each.decorator_list, each.args]] + [(each.returns, True)]
            case ast.arg(annotation=annotation):
                waiting.append((annotation, True))
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                waiting += [(target, False), (annotation, True), (value, False)]
            case ast.Lambda(args=arguments):
                waiting += [(default, noted) for default in [*arguments.defaults, *arguments.kw_defaults]]
            case _:
                if isinstance(each, ast.Import | ast.ImportFrom):
                    bound |= set(_binds(each))
                if isinstance(each, ast.ClassDef) and each is not node:
                    bound.add(each.name)  # class Attention(Attention) needs the one before
                waiting += [(child, noted) for child in ast.iter_child_nodes(each)]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        bound.clear()  # x = x + 1
    return frozenset(read[False] - bound), frozenset(read[True] - bound)


# ---------------------------------------------------------------------- choosing


def choose(found: Sequence[Statement], wanted: Collection[str] | None) -> tuple[list[Statement], dict[str, Statement]]:
    """(what is kept, in order; definitions that cannot be run, by name).  `wanted` None: every definition."""
    kept = _newest(_reached(found, wanted))
    lazy = any(each.future and "annotations" in each.text for each in kept)
    known = set(dir(builtins)) | {"__name__", "__file__"}
    runs: list[Statement] = []
    broken: dict[str, Statement] = {}
    anything = False  # `from module import *` may bind any name
    for statement in sorted(kept, key=lambda each: not each.future):  # Python wants those at the top
        if anything or statement.at_once | (set() if lazy else statement.noted) <= known:
            runs.append(statement)
            known |= statement.binds
            broken.pop(statement.defines, None)
            anything = anything or "*" in statement.binds
        elif statement.defines:
            broken[statement.defines] = statement
    return runs, broken


def _reached(found: Sequence[Statement], wanted: Collection[str] | None) -> list[Statement]:
    """What the wanted names need, and what that needs."""
    binding: dict[str, list[int]] = {}
    for i, statement in enumerate(found):
        for name in statement.binds:
            binding.setdefault(name, []).append(i)
    reached = {i for i, statement in enumerate(found) if statement.always}
    waiting = [statement.defines for statement in found if statement.defines] if wanted is None else list(wanted)
    seen = set(waiting)
    while waiting:
        for i in binding.pop(waiting.pop(), ()):
            reached.add(i)
            new = found[i].names - seen
            seen |= new
            waiting += new
    return [found[i] for i in sorted(reached)]


def _newest(kept: Sequence[Statement]) -> list[Statement]:
    """Without definitions that are replaced before anything needs them."""
    replaced: set[str] = set()
    newest = []
    for statement in reversed(kept):
        if statement.defines and statement.binds <= replaced:
            continue
        if statement.defines and len(statement.binds) == 1:
            replaced.add(statement.defines)
        replaced -= statement.at_once | statement.noted
        newest.append(statement)
    return newest[::-1]
