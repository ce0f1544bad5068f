"""Importing a submission from memory: its files import each other, and nothing is written to disk."""

from __future__ import annotations

import dis
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import linecache
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

IN_EMPTY_BODIES = {
    dis.opmap[name] for name in ("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST") if name in dis.opmap
}


class SubmissionFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the submission's modules ahead of installed packages, but never ahead of the standard library."""

    def __init__(self, files: Mapping[str, bytes]):
        self.sources = {}
        for name, source in files.items():
            module = name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            if module.split(".")[0] not in sys.stdlib_module_names:
                self.sources[module] = (name, source)
                lines = source.decode(errors="replace").splitlines(keepends=True)
                linecache.cache[name] = (len(source), None, lines, name)

    def find_spec(self, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
        if fullname in self.sources:
            name, _ = self.sources[fullname]
            package = name.endswith("__init__.py")
            return importlib.machinery.ModuleSpec(fullname, self, origin=name, is_package=package)
        if any(module.startswith(fullname + ".") for module in self.sources):  # a folder without __init__.py
            return importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        name, source = self.sources[module.__spec__.name]
        module.__file__ = name
        text = source.decode()  # an encoding that it declares is what the file was in, and no longer is
        exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)


def import_file(file: str, files: set[str]) -> tuple[ModuleType | None, dict[str, Any]]:
    """Import a topic file -> (module or None, JSON report).  The finder must be installed."""
    try:
        module = importlib.import_module(file.removesuffix(".py"))
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: the learner's, not ours
        return None, {"file": file, "error": describe(error, files, "import")}
    return module, {"file": file, "untouched": untouched(module)}


def untouched(module: ModuleType) -> list[str]:
    """Names of the module whose body is still empty (`pass`, `...` or a docstring alone)."""
    names = []
    for name, value in list(vars(module).items()):
        if inspect.isclass(value):
            init, body = vars(value).get("__init__"), vars(value).get("forward")
            empty = _is_empty(body) and (init is None or _makes_nothing(init))
        else:
            empty = _is_empty(value)
        if empty:
            names.append(name[:80])
    return names[:50]


def _is_empty(function: object) -> bool:
    """Whether a function does nothing but return None."""
    if not inspect.isfunction(function) or not set(function.__code__.co_code[::2]) <= IN_EMPTY_BODIES:
        return False
    steps = [(step.opname, step.argval) for step in dis.get_instructions(function)]
    done = [step for step in steps if step[0] not in ("RESUME", "NOP")]
    return done in ([("LOAD_CONST", None), ("RETURN_VALUE", None)], [("RETURN_CONST", None)])


def _makes_nothing(init: object) -> bool:
    """Whether an __init__ does no more than call the one above it."""
    return inspect.isfunction(init) and set(init.__code__.co_names) <= {"super", "__init__"}


def describe(error: BaseException, files: set[str], stage: str) -> dict[str, Any]:
    """A JSON description of an exception: stage, type, message, and the learner's own file and line."""
    file = line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            file, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename in files:
        file, line = error.filename, error.lineno
    try:
        message = str(error)
        if isinstance(error, SyntaxError) and error.filename in files:
            lines = (error.text or "").strip().splitlines()
            message = error.msg + (f" in `{lines[0][:80]}`" if lines else "")
    except BaseException as second:  # a __str__ of the learner's that raises
        message = f"(its message could not be read: {type(second).__name__})"
    return {
        "stage": stage,
        "type": type(error).__name__[:100],
        "bases": [base.__name__[:100] for base in type(error).__mro__][:20],
        "message": str(message)[:500],
        "file": file,
        "line": line,
    }
