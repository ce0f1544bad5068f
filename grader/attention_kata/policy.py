"""Forbidden functions found in the source, by the trusted side: a call that is not made under the checks' inputs,
or that hides from torch's modes, is still there to be read.

Only what an exercise can reach counts: its own definition, and what of the file's own definitions it names.
A learner's own helper may bear the name of torch's: `numerics.softmax` of a file of theirs, a method of theirs.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence, Set
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
    imported = _imported(tree)
    strangers = _strangers(tree, own, imported)
    torch = frozenset(name for name, from_torch in imported.items() if from_torch)
    names = _Names(_aliases(tree), frozenset(own), torch, strangers, _methods(tree))
    banned = {name.strip("_") for name in forbidden}
    uses = (use for node in _reachable(own, exercise) for use in _uses(node, banned, names))
    return min(uses, key=lambda use: use.line, default=None)


@dataclass(frozen=True)
class _Names:
    """What the names of a file stand for."""

    aliases: dict[str, str]  # imported from torch: what they are called there
    own: Set[str]  # defined in the file itself
    torch: Set[str]  # imported from torch
    strangers: Set[str]  # that cannot be torch's, nor a tensor
    methods: Set[str]  # of the file's own classes


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
    """Names imported from torch, and what they are there: `from torch import softmax as s` -> s: softmax."""
    return {
        alias.asname or alias.name: alias.name.rsplit(".", 1)[-1]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and _from_torch(node.module)
        for alias in node.names
    }


def _imported(tree: ast.Module) -> dict[str, bool]:
    """Names that are imported, and whether from torch, or from what could fetch it."""
    imported: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                module = alias.name if isinstance(node, ast.Import) else node.module
                name = alias.asname or alias.name.split(".")[0]
                imported[name] = imported.get(name, False) or _from_torch(module)
    return imported


def _from_torch(module: str | None) -> bool:
    return (module or "").split(".")[0] in ("torch", "importlib", "sys", "builtins")


def _strangers(tree: ast.Module, own: dict[str, list[ast.AST]], imported: dict[str, bool]) -> frozenset[str]:
    """Names that cannot be torch's, nor a tensor: imported from elsewhere, or of a function or class of the file."""
    defined = {n for n, nodes in own.items() if not isinstance(nodes[0], ast.Assign | ast.AnnAssign)}
    elsewhere = {name for name, from_torch in imported.items() if not from_torch}
    assigned = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    arguments = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    return frozenset((defined | elsewhere) - assigned - arguments)


def _methods(tree: ast.Module) -> frozenset[str]:
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return frozenset(m.name for c in classes for m in c.body if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef))


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


def _uses(node: ast.AST, banned: set[str], names: _Names) -> Iterator[Use]:
    for part in ast.walk(node):
        for name in _names(part, names):
            found = _banned(name, banned)
            if found:
                yield Use(found, getattr(part, "lineno", 0))


def _names(part: ast.AST, names: _Names) -> Iterator[str]:
    """What a piece of code may name of torch's: attributes, imported names, constant strings given to getattr."""
    if isinstance(part, ast.Attribute):
        if not _belongs_to_learner(part, names):
            yield part.attr
    elif isinstance(part, ast.Name) and part.id in names.aliases and part.id not in names.own:
        yield names.aliases[part.id]
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


def _belongs_to_learner(attribute: ast.Attribute, names: _Names) -> bool:
    """Whether an attribute is of self, of a module or class of the learner's, or one of the file's own methods."""
    root: ast.AST = attribute.value
    if isinstance(root, ast.Name) and root.id in ("self", "cls"):
        return True
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in names.strangers:
        return True
    return attribute.attr in names.methods and not (isinstance(root, ast.Name) and root.id in names.torch)


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
