"""Recording what torch is asked to do while the submission's code runs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

MAX_NAMES = 300


class Recorder(ExitStack):
    """Names of the functions called, number of operations (views left out), largest tensor made.

    Two modes are needed: the function mode sees `F.scaled_dot_product_attention` whatever it becomes
    below, the dispatch mode sees `aten._softmax` whichever way it was reached.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.operations = 0
        self.largest = 0

    def __enter__(self) -> Recorder:
        super().__enter__()
        self.enter_context(_Functions(self))
        self.enter_context(_Operations(self))
        return self

    def name(self, name: object) -> None:
        if len(self.names) < MAX_NAMES:
            self.names.add(str(name)[:80])


class _Functions(TorchFunctionMode):
    def __init__(self, recorder: Recorder):
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.recorder.name(getattr(func, "__name__", func))
        return func(*args, **(kwargs or {}))


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled here; the default would import the whole compiler, a second of start-up."""
        return False

    def __init__(self, recorder: Recorder):
        super().__init__()  # type: ignore[no-untyped-call]
        self.recorder = recorder

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        self.recorder.name(func.overloadpacket.__name__)
        if not _is_view(func):
            self.recorder.operations += 1
        for value in result if isinstance(result, tuple | list) else (result,):
            if isinstance(value, torch.Tensor):
                self.recorder.largest = max(self.recorder.largest, value.numel())
        return result


def _is_view(func: Any) -> bool:
    """Whether the result shares memory with an argument: taking an axis apart by views is not a loop."""
    aliases = [returned.alias_info for returned in func._schema.returns]
    return any(alias is not None and not alias.is_write for alias in aliases) or func.overloadpacket.__name__ in {
        "detach", "_unsafe_view", "_reshape_alias", "unbind", "split", "split_with_sizes", "chunk",
    }  # fmt: skip
