"""Keeping torch's compiler out until somebody really asks for it.

Operations on the meta device, optimizers and some modules import `torch._dynamo` only to tell the compiler what it
shall leave alone: a second of start-up, and a folder for temporary files, for nothing.  Without this, a zygote and its
first two children take 1.37 times the processor time to start, to answer one exercise and then the whole course (the
median of 11 pairs in turn).
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

import torch

NAME = "torch._dynamo"
CONFIG = f"{NAME}.config"  # a module of values, which imports nothing of the compiler
FOLDER = os.path.join(os.path.dirname(torch.__file__), "_dynamo")


class _Stand(ModuleType):
    """`torch._dynamo` with what means nothing to code that runs uncompiled.

    Any other name, or a module of its own, brings the real one in.
    """

    __path__: list[str] = []  # noqa: RUF012  a package, whose modules `_Whole` finds

    @staticmethod
    def disable(fn: Any = None, recursive: bool = True, **options: Any) -> Any:
        return fn if fn is not None else lambda function: function

    @staticmethod
    def allow_in_graph(fn: Any) -> Any:
        return fn

    disallow_in_graph = allow_in_graph

    @staticmethod
    def graph_break(msg: str = "") -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system asks of every module
            raise AttributeError(name)
        if name == "config":  # checkpoints read a value there
            return importlib.import_module(CONFIG)
        return getattr(_real(), name)


def _real() -> ModuleType:
    if isinstance(sys.modules.get(NAME), _Stand):
        del sys.modules[NAME]
        vars(torch).pop("_dynamo", None)
    return importlib.import_module(NAME)


class _Whole(MetaPathFinder, Loader):
    """Imports the whole of `torch._dynamo` before a module of it, as Python would without the stand."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith(NAME + ".") or not isinstance(sys.modules.get(NAME), _Stand):
            return None
        if fullname == CONFIG:
            return PathFinder.find_spec(fullname, [FOLDER])
        real = _real()
        if fullname not in sys.modules:
            return PathFinder.find_spec(fullname, real.__path__)
        module = sys.modules[fullname]  # whose own spec importlib takes for one that is there already
        module.__spec__ = ModuleSpec(fullname, self, loader_state=module.__spec__)
        return module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """It has been loaded with the rest."""
        return sys.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def _uncompiled(model: Any = None, **options: Any) -> Any:
    return model if model is not None else lambda function: function


def _deterministic(mode: bool, *, warn_only: bool = False) -> None:
    """`torch.use_deterministic_algorithms`, which imports the compiler to tell it too: two seconds, for nothing."""
    torch._C._set_deterministic_algorithms(mode, warn_only=warn_only)


def keep_compiler_out() -> None:
    """Leave `torch._dynamo` unimported; what is decorated with `torch.compile` runs uncompiled, to the same result.

    Compiling would need a C++ compiler and a folder to write to, which a confined process does not have.
    """
    torch.compile = _uncompiled
    torch.use_deterministic_algorithms = _deterministic
    with suppress(FileNotFoundError):
        tempfile.gettempdir()  # looked for once; the real module wants to know it, and a confined process cannot tell
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.sep  # makes a folder as it is imported, unless it is there already
    if NAME not in sys.modules:
        sys.modules[NAME] = stand = _Stand(NAME)
        torch._dynamo = stand
        sys.meta_path.insert(0, _Whole())
