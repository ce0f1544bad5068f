"""Bringing a stub back without losing what the learner wrote."""

from __future__ import annotations

import ast
import shutil
from datetime import datetime
from pathlib import Path

from ..files import write_whole


class ResetError(Exception):
    """A reset that cannot be done, in one line that says what to do instead."""


def reset_file(path: Path, stub: Path) -> Path | None:
    """Replace `path` by the stub -> the dated copy of what was there, if anything was."""
    return _replace(path, stub.read_bytes())


def reset_exercise(path: Path, stub: Path, name: str) -> Path | None:
    """Replace only function or class `name` in `path` by the stub's."""
    if path.is_dir() or not path.exists():
        return reset_file(path, stub)
    stub_source = stub.read_text(encoding="utf-8")
    whole = f"Type `kata reset {path.name}` to reset the whole file; a copy is kept."
    try:
        source = path.read_text(encoding="utf-8-sig")
        span = _span(source, name)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ResetError(f"{path.name} cannot be read ({type(error).__name__}). {whole}") from None
    if span is None:
        raise ResetError(f"{path.name} has no {name} to replace. {whole}")
    stub_span = _span(stub_source, name)
    if stub_span is None:
        raise ResetError(f"the stub {stub} has no {name}: reinstall attention-kata")
    lines, stub_lines = lines_of(source), lines_of(stub_source)
    lines[span[0] : span[1]] = stub_lines[stub_span[0] : stub_span[1]]
    top = _top(source)
    lines[top:top] = [f"{line}\n" for line in _missing_imports(source, stub_source)]
    return _replace(path, "".join(lines).encode("utf-8"))


def _span(source: str, name: str) -> tuple[int, int] | None:
    """First line (decorators included) and end of the last top-level definition of `name`."""
    found = None
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found = first - 1, node.end_lineno or node.lineno
    return found


def lines_of(source: str) -> list[str]:
    """Lines as Python counts them: a form feed, say, ends none."""
    return [f"{line}\n" for line in source.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")]


def _missing_imports(source: str, stub_source: str) -> list[str]:
    """The stub's imports of names that `source` does not import: the stub may need them."""
    known = {alias.asname or alias.name for node in _imports(source) for alias in node.names}
    return [
        ast.unparse(node)
        for node in _imports(stub_source)
        if not {alias.asname or alias.name for alias in node.names} <= known
    ]


def _imports(source: str) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]


def _top(source: str) -> int:
    """The number of lines before which no import may stand: the docstring, and imports from __future__."""
    top = 0
    for number, node in enumerate(ast.parse(source).body):
        docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            top = node.end_lineno or top
    return top


def _replace(path: Path, data: bytes) -> Path | None:
    """Keep what is at `path` under a dated name and write `data` in its place."""
    if path.is_dir():
        raise ResetError(f"{path.name} is a folder: rename it first")
    try:
        copy = None
        if path.exists():
            copy = _dated(path)
            shutil.copy2(path, copy)
        write_whole(path, [data])
    except OSError as error:
        raise ResetError(f"{error.filename}: {error.strerror}. Nothing was changed.") from None
    return copy


def _dated(path: Path) -> Path:
    """attention.py -> attention.2026-11-29_231500.txt, not a module, and never a name in use."""
    stamp = datetime.now().strftime("%Y-%m-%d_%H%M%S")
    copy = path.with_name(f"{path.stem}.{stamp}.txt")
    number = 1
    while copy.exists():
        number += 1
        copy = path.with_name(f"{path.stem}.{stamp}-{number}.txt")
    return copy
