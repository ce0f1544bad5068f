"""Keeping torch's compiler out until somebody really asks for it.

Operations on the meta device, among others, go through wrappers that import `torch._dynamo` only to call its
`disable`: a second of start-up, and a folder for temporary files, for nothing.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

NAME = "torch._dynamo"


class _Stand(ModuleType):
    """`torch._dynamo` with `disable` alone; any other name brings the real module in."""

    __path__ = [str(Path(torch.__file__).parent / "_dynamo")]  # noqa: RUF012  a module's attribute

    @staticmethod
    def disable(function: Any, recursive: bool = True, **options: Any) -> Any:
        return function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system asks of every module
            raise AttributeError(name)
        if sys.modules.get(NAME) is self:
            del sys.modules[NAME]
        return getattr(importlib.import_module(NAME), name)


def _uncompiled(model: Any = None, **options: Any) -> Any:
    return model if model is not None else lambda function: function


def keep_compiler_out() -> None:
    """Leave `torch._dynamo` unimported; what is decorated with `torch.compile` runs uncompiled, to the same result.

    Compiling would need a C++ compiler and a folder to write to, which a confined process does not have.
    """
    torch.compile = _uncompiled
    if NAME not in sys.modules:
        sys.modules[NAME] = stand = _Stand(NAME)
        torch._dynamo = stand
