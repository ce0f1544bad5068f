"""Modules of solutions, built once and used in several cases: to build one takes longer than to call it.

For trusted code only.  A module in which a call has left anything behind, but in the weights, which are loaded anew
for each case, is not used again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from operator import is_
from typing import Any

import numpy as np
import torch
from torch import nn

from ..worker.observe import Refused, build_module, load_weights, place


class Modules:
    """Builds modules as a worker does, each once for its sizes and dtype; those of one class after the other."""

    def __init__(self) -> None:
        self._class: Any = None
        self._kept: dict[tuple[Any, ...], _Kept] = {}
        self._tensors: dict[tuple[int, torch.dtype, torch.dtype], tuple[np.ndarray, torch.Tensor]] = {}

    def build(
        self, make: partial[Any], weights: Mapping[str, np.ndarray], dtype: torch.dtype, device: str
    ) -> nn.Module:
        """See attention_kata.worker.observe.build_module."""
        if device != "cpu" or make.keywords or not all(type(argument) is int for argument in make.args):
            return build_module(make, weights, dtype, device)
        if make.func is not self._class:
            self._class = make.func
            self._kept.clear()
        sizes = (make.args, dtype, *((name, array.shape) for name, array in weights.items()))
        kept = self._kept.get(sizes)
        if kept is None or not kept.unchanged():
            kept = self._kept[sizes] = _Kept(make, weights, dtype)
        else:
            tensors = [self._tensor(weights[name], *dtypes) for name, dtypes in kept.dtypes.items()]
            with torch.no_grad():
                torch._foreach_copy_(kept.loaded, tensors)
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
        self._containers = [*modules, *(v for m in modules for v in m.values() if isinstance(v, dict | list | set))]
        self._lengths = list(map(len, self._containers))
        self._contents = [(each, list(_values(each))) for each in self._containers if each]
        tensors = {id(v): v for _, values in self._contents for v in values if isinstance(v, torch.Tensor)}
        loaded = set(map(id, self.loaded))
        self._tensors = [(tensor, id in loaded) for id, tensor in tensors.items()]
        self._facts = self._of_tensors()

    def unchanged(self) -> bool:
        """Whether calls have left all as it was: attributes, layers, hooks, buffers, and what lists and dicts hold."""
        return (
            list(map(len, self._containers)) == self._lengths
            and all(all(map(is_, _values(each), values)) for each, values in self._contents)
            and self._of_tensors() == self._facts
        )

    def _of_tensors(self) -> list[Any]:
        return [
            (t.data_ptr(), t.requires_grad, t.grad is None, None if loaded else t._version)
            for t, loaded in self._tensors
        ]


def _values(container: Any) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container
