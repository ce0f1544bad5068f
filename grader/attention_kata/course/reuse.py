"""Modules of solutions, built once and used in several cases: to build one takes longer than to call it.

For trusted code only.  A module in which a call has left anything behind, but in the weights, which are loaded anew
for each case, is not used again.  Classes that build alike, such as variants that differ in what `forward` does, take
turns with one module.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from inspect import isclass
from itertools import chain
from operator import is_
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import torch
from torch import nn

from ..worker.observe import Refused, build_module, load_weights, place

PLAIN = {"__init__", "forward", "__module__", "__qualname__", "__doc__"}  # in a class: changes nothing in building


class Modules:
    """Builds modules as a worker does, each once for its sizes and dtype; those of one class after the other."""

    def __init__(self) -> None:
        self._class: Any = None
        self._how: tuple[Any, ...] | None = None
        self._own: dict[tuple[Any, ...], _Kept] = {}
        self._shared: dict[tuple[Any, ...], _Kept] = {}
        self._tensors: dict[tuple[int, torch.dtype, torch.dtype], tuple[np.ndarray, torch.Tensor]] = {}

    def build(
        self, make: partial[Any], weights: Mapping[str, np.ndarray], dtype: torch.dtype, device: str
    ) -> nn.Module:
        """See attention_kata.worker.observe.build_module."""
        if device != "cpu" or make.keywords or not all(type(argument) is int for argument in make.args):
            return build_module(make, weights, dtype, device)
        if make.func is not self._class:
            self._class, self._how = make.func, _how_built(make.func)
            self._own.clear()
        keep = self._own if self._how is None else self._shared
        sizes = (self._how, make.args, dtype, *((name, array.shape) for name, array in weights.items()))
        kept = keep.get(sizes)
        if kept is None or not kept.unchanged():
            kept = keep[sizes] = _Kept(make, weights, dtype)
        else:
            tensors = [self._tensor(weights[name], *dtypes) for name, dtypes in kept.dtypes.items()]
            with torch.no_grad():
                torch._foreach_copy_(kept.loaded, tensors)
            if self._how is not None:
                object.__setattr__(kept.module, "__class__", self._class)
        return kept.module

    def _tensor(self, array: np.ndarray, first: torch.dtype, then: torch.dtype) -> torch.Tensor:
        """`array` as weights of one dtype that were turned into another; every variant is given the same arrays."""
        of = (id(array), first, then)
        if of not in self._tensors:
            self._tensors[of] = (array, torch.from_numpy(array.copy()).to(first).to(then))
        return self._tensors[of][1]


class _Kept:
    """A module, and what was in it when it was built."""

    def __init__(self, make: partial[Any], weights: Mapping[str, np.ndarray], dtype: torch.dtype):
        module = make()
        if not isinstance(module, nn.Module):
            raise Refused("not-a-module", found=type(module).__name__[:80])
        own = module.state_dict(keep_vars=True)
        load_weights(own, weights)
        first = {name: own[name].dtype for name in weights}
        self.module = place(module, dtype, "cpu")
        own = self.module.state_dict(keep_vars=True)
        self.dtypes = {name: (first[name], own[name].dtype) for name in weights}
        self.loaded = [own[name] for name in weights]

        modules = [vars(module) for module in self.module.modules()]
        containers = [*modules, *(v for m in modules for v in m.values() if isinstance(v, dict | list | set))]
        self._views = [each.values() if isinstance(each, dict) else each for each in containers]
        self._lengths = list(map(len, self._views))
        self._contents = list(chain.from_iterable(self._views))
        tensors = {id(v): v for v in self._contents if isinstance(v, torch.Tensor)}
        loaded = set(map(id, self.loaded))
        self._tensors = [(tensor, id in loaded) for id, tensor in tensors.items()]
        self._facts = self._of_tensors()

    def unchanged(self) -> bool:
        """Whether calls have left all as it was: attributes, layers, hooks, buffers, and what lists and dicts hold."""
        return (
            list(map(len, self._views)) == self._lengths
            and all(map(is_, chain.from_iterable(self._views), self._contents))
            and self._of_tensors() == self._facts
        )

    def _of_tensors(self) -> list[Any]:
        return [
            (t.data_ptr(), t.requires_grad, t.grad is None, None if loaded else t._version)
            for t, loaded in self._tensors
        ]


def _how_built(make: Any) -> tuple[Any, ...] | None:
    """Equal for classes whose modules are built alike, by one code from the same objects; None where none can tell."""
    init = vars(make).get("__init__") if isclass(make) else None
    if type(make) is not type or make.__bases__ != (nn.Module,) or type(init) is not FunctionType or vars(init):
        return None
    own = set(vars(make)) - PLAIN
    if own & (set(dir(nn.Module)) | _names(init.__code__)) or init.__defaults__ or init.__kwdefaults__:
        return None
    cells = zip(init.__code__.co_freevars, init.__closure__ or (), strict=True)
    return (init.__code__, *(_Same(cell.cell_contents) for name, cell in cells if name != "__class__"))


class _Same:
    """Equal to what holds the very same object, which it keeps from being replaced by another at its address."""

    def __init__(self, value: Any):
        self._value = value

    def __hash__(self) -> int:
        return id(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._value is self._value


def _names(code: CodeType) -> set[str]:
    """All names of globals and attributes in a function and those inside it."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_names, inner))
