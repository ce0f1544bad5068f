"""A file that answers several topics at once, made to work under the name of each of them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator

from .statements import MAX_READ


def without_own_imports(text: str, modules: Collection[str]) -> str:
    """`text` without its imports from itself: it is `modules`, all of them.

    `from attention import softmax` in a file that defines softmax would otherwise wait for itself.  Lines keep
    their numbers; what an import called differently is so called at the end of the text.
    """
    if len(text) > MAX_READ or not any(f"{module} import" in text for module in modules):
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text  # Python will say the same of the text as it is
    lines = text.split("\n")
    if len(lines) != len(text.splitlines()) + text.endswith("\n"):
        return text  # form feeds and the like: lines could not be told apart safely
    own = _defined(tree)
    later = []
    for node in _imports(tree.body):
        if node.module in modules and (aliases := [alias for alias in node.names if alias.name in own]):
            left = [alias for alias in node.names if alias.name not in own]
            _put(lines, node, ast.unparse(ast.ImportFrom(node.module, left, node.level)) if left else "pass")
            later += [f"{alias.asname} = {alias.name}" for alias in aliases if alias.asname not in (None, alias.name)]
    return "\n".join([*lines, *later, ""] if later else lines)


def _defined(tree: ast.Module) -> set[str]:
    """Names of the functions, classes and variables of the file itself."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _imports(body: list[ast.stmt]) -> Iterator[ast.ImportFrom]:
    """Imports that run when the file does; what a function imports comes when all is there."""
    for node in body:
        if isinstance(node, ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If):
            yield from _imports([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            handled = [line for handler in node.handlers for line in handler.body]
            yield from _imports([*node.body, *handled, *node.orelse, *node.finalbody])


def _put(lines: list[str], node: ast.ImportFrom, instead: str) -> None:
    """Put `instead` in the place of a statement, on its first line."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first].encode()[: node.col_offset].decode()
    after = lines[last].encode()[node.end_col_offset :].decode()
    lines[first : last + 1] = [""] * (last - first + 1)
    lines[first] = before + instead + (after if first == last else "")
    if first != last:
        lines[last] = after.lstrip(" \t;") if after.strip(" \t;") and not after.lstrip().startswith("#") else ""
