"""Scripts on their way to a worker: JSON for the steps, named arrays for the inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .model import Array, Build, Call, Script


def encode(script: Script, parameters: Sequence[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Script -> (JSON, arrays by name).  `parameters` are the names of the call's arguments, for messages.

    An array keeps its layout: the order of its axes in memory ("axes"), axes of one number for all ("expanded": the
    whole shape), gaps between its numbers ("spaced").

    Names are `STEP/PARAMETER`, `STEP/weights/NAME` and `upstream/I`.
    """
    arrays: dict[str, Array] = {}

    def argument(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, Array):
            return {"value": value}
        order = _memory_order(value)
        encoded: dict[str, Any] = {"tensor": name, "axes": [order.index(i) for i in range(value.ndim)]}
        one_for_all = [i for i, n in enumerate(value.shape) if n > 1 and value.strides[i] == 0]
        if one_for_all:
            encoded["expanded"] = list(value.shape)
            value = value[tuple(slice(1) if i in one_for_all else slice(None) for i in range(value.ndim))]
        elif (
            value.size > 1 and min(s for s, n in zip(value.strides, value.shape, strict=True) if n > 1) > value.itemsize
        ):
            encoded["spaced"] = True
        arrays[name] = np.asarray(value.transpose(order), order="C")
        return encoded

    steps = []
    for number, step in enumerate(script.steps):
        names = parameters if isinstance(step, Call) else [f"argument {i}" for i in range(len(step.args))]
        encoded: dict[str, Any] = {
            "op": "build" if isinstance(step, Build) else "call" if step.target else "module",
            "target": step.target,
            "args": [argument(f"{number}/{n}", a) for n, a in zip(names, step.args, strict=False)],
            "kwargs": {name: argument(f"{number}/{name}", a) for name, a in step.kwargs.items()},
        }
        if isinstance(step, Build):
            encoded["weights"] = {name: f"{number}/weights/{name}" for name in step.weights}
            arrays |= {f"{number}/weights/{name}": array for name, array in step.weights.items()}
        steps.append(encoded)
    upstream = []
    for i, array in enumerate(script.upstream):
        upstream.append(None if array is None else f"upstream/{i}")
        if array is not None:
            arrays[f"upstream/{i}"] = array
    encoded_script = {
        "steps": steps,
        "dtype": script.dtype,
        "device": script.device,
        "upstream": upstream,
        "purity": script.purity,
        "operations": script.operations,
    }
    return encoded_script, arrays


def given(array: Array, argument: Mapping[str, Any]) -> Array:
    """The array of an encoded argument, with the axes that the submission sees."""
    seen = array.transpose(argument["axes"])
    return np.broadcast_to(seen, argument["expanded"]) if "expanded" in argument else seen


def _memory_order(array: Array) -> list[int]:
    """The axes from the slowest to the fastest in memory, so that a transposed input arrives transposed."""
    return sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
