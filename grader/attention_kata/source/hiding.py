"""Code that hides what it calls: nobody who reads it, and none of torch's modes, can then say which functions ran.

Found by the trusted side, in every file of the submission, since it is the import that blinds.  It proves nothing
against anybody: the check that an answer is written by hand is then reported as not carried out, and the rest counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from .forbidden import Use
from .names import MAX_READ, Sources
from .syntax import called

MODULES = {  # other threads, other processes, other languages, our own
    "_ctypes", "_thread", "attention_kata", "cffi", "concurrent", "ctypes", "gc", "importlib", "multiprocessing",
    "threading",
}  # fmt: skip
OF_TORCH = {
    "_C", "_python_dispatch", "multiprocessing", "overrides", "utils.cpp_extension", "load_library", "load_inline",
    "DisableTorchFunction", "DisableTorchFunctionSubclass", "TorchFunctionMode", "TorchDispatchMode",
}  # fmt: skip
BUILTINS = {"__builtins__", "__import__", "compile", "eval", "exec"}
INSIDES = {
    "__builtins__", "__globals__", "__subclasses__", "_getframe", "f_back", "f_builtins", "f_globals", "f_locals",
    "meta_path", "setprofile", "settrace", "tb_frame",
}  # fmt: skip
KINDS = {ast.Import, ast.ImportFrom, ast.Name, ast.Attribute, ast.FunctionDef, ast.Call}  # that may hide something
MAX_NODES = 100_000


def blinding_use(sources: Sources, topics: Iterable[str]) -> Use | None:
    """The first place that hides what is called, in the topic files or in what they import of the learner's own."""
    for file in _imported(sources.files, topics):
        if len(sources.files[file]) > MAX_READ:
            return Use("more code than is read", file, 1)
        source = sources.read(file)
        if source is None:
            continue  # it does not run either
        if len(source.nodes) > MAX_NODES:
            return Use("more code than is read", file, getattr(source.nodes[MAX_NODES], "lineno", 0))
        uses = [
            Use(name, file, getattr(node, "lineno", 0))
            for node in source.nodes
            if type(node) in KINDS
            for name in _hiding(node)
        ]
        if uses:
            return min(uses, key=lambda use: use.line)
    return None


def _imported(files: Mapping[str, str], topics: Iterable[str]) -> list[str]:
    """The topic files, and the other files that they mention in an import, and so on."""
    modules = {file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): file for file in files}
    found = [file for file in topics if file in files]
    for file in found:
        words = set(re.findall(r"\w+", " ".join(re.findall(r"^[^#\n]*\bimport\b[^#\n]*", files[file], re.MULTILINE))))
        found += [other for name, other in modules.items() if other not in found and words & set(name.split("."))]
    return found


def _hiding(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from filter(None, (_module(alias.name) for alias in node.names))
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield from filter(None, [_module(node.module or ""), *(_module(f"{node.module}.{a.name}") for a in node.names)])
    elif isinstance(node, ast.Name) and node.id in BUILTINS:
        yield node.id
    elif isinstance(node, ast.Attribute) and node.attr in OF_TORCH | INSIDES:
        yield node.attr
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
        yield from (f"os.{node.attr}" for name in ("write", "fdopen", "writev", "sendfile") if node.attr == name)
    elif isinstance(node, ast.FunctionDef) and node.name in OF_TORCH:
        yield node.name
    elif isinstance(node, ast.Call) and called(node) in (
        "getattr", "attrgetter", "methodcaller", "__getattribute__",
    ):  # fmt: skip
        of_self = node.args and isinstance(node.args[0], ast.Name) and node.args[0].id in ("self", "cls")
        named = node.args[1:] if called(node) == "getattr" else node.args
        if not of_self and named and not isinstance(named[0], ast.Constant):
            yield f"{called(node)} with a computed name"
        elif named and isinstance(named[0], ast.Constant) and str(named[0].value) in OF_TORCH | INSIDES:
            yield str(named[0].value)


def _module(name: str) -> str:
    head, _, rest = name.partition(".")
    hides = head in MODULES or (
        head == "torch" and (rest in OF_TORCH or rest.split(".")[0] in OF_TORCH or rest.split(".")[-1] in OF_TORCH)
    )
    return name if hides else ""
