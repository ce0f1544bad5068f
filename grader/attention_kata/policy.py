"""Forbidden functions found in the source, by the trusted side: a call that is not made under the checks' inputs,
or that hides from torch's modes, is still there to be read.

Only what an exercise can reach counts: its own definition, and what of the file's own definitions it names.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MODULE_CLASSES = {
    "multiheadattention": "multi_head_attention_forward",
    "softmax": "softmax",
    "softmax2d": "softmax",
    "logsoftmax": "log_softmax",
    "softmin": "softmin",
}
MOST_DEPTH = 200  # of names that lead to names


@dataclass(frozen=True)
class Use:
    """Where a forbidden function is named."""

    name: str
    line: int


def forbidden_use(source: str, exercise: str, forbidden: Sequence[str]) -> Use | None:
    """The first place where `exercise` can reach one of the `forbidden` functions of torch.

    None too for source that does not parse: then it does not run either.
    """
    if not forbidden:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are between the learner and Python
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    own = _definitions(tree)
    aliases = _aliases(tree)
    banned = {name.strip("_") for name in forbidden}
    uses = (use for node in _reachable(own, exercise) for use in _uses(node, banned, aliases, set(own)))
    return min(uses, key=lambda use: use.line, default=None)


def _definitions(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """Top-level functions, classes and assignments by name."""
    found: dict[str, list[ast.AST]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, []).append(node)
    return found


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Names imported from somewhere, and what they are there: `from torch import softmax as s` -> s: softmax."""
    return {
        alias.asname or alias.name: alias.name.rsplit(".", 1)[-1]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _reachable(own: dict[str, list[ast.AST]], start: str) -> Iterator[ast.AST]:
    """The definitions of `start`, and of every name of the file's own that they mention."""
    seen: set[str] = set()
    waiting = [start]
    while waiting and len(seen) < MOST_DEPTH:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in own.get(name, ()):
            yield node
            waiting += [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in own]


def _uses(node: ast.AST, banned: set[str], aliases: dict[str, str], own: set[str]) -> Iterator[Use]:
    for part in ast.walk(node):
        for name in _names(part, aliases, own):
            found = _banned(name, banned)
            if found:
                yield Use(found, getattr(part, "lineno", 0))


def _names(part: ast.AST, aliases: dict[str, str], own: set[str]) -> Iterator[str]:
    """What a piece of code may name of torch's: attributes, imported names, constant strings given to getattr."""
    if isinstance(part, ast.Attribute) and not (isinstance(part.value, ast.Name) and part.value.id in ("self", "cls")):
        yield part.attr
    elif isinstance(part, ast.Name) and part.id in aliases and part.id not in own:
        yield aliases[part.id]
    elif isinstance(part, ast.Call) and _called(part) in (
        "getattr",
        "attrgetter",
        "methodcaller",
        "__getattribute__",
        "get",
    ):
        for argument in part.args:
            text = _constant(argument)
            if text is not None:
                yield from text.split(".")
    elif isinstance(part, ast.Subscript):  # vars(torch)["softmax"]
        text = _constant(part.slice)
        if text is not None:
            yield text


def _called(call: ast.Call) -> str:
    return (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )


def _constant(node: ast.AST) -> str | None:
    """The text of a constant, of constants added or joined, or None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _constant(node.left), _constant(node.right)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.JoinedStr):
        parts = [_constant(p.value if isinstance(p, ast.FormattedValue) else p) for p in node.values]
        return "".join(p for p in parts if p is not None) if None not in parts else None
    return None


def _banned(name: str, banned: set[str]) -> str:
    """The forbidden function that `name` is, by whichever of its spellings."""
    bare = name.strip("_")
    bare = MODULE_CLASSES.get(bare.lower(), bare) if name[:1].isupper() else bare
    for each in banned:
        if bare == each or bare.startswith(each + "_"):
            return each
    return ""
