"""Observations: what a worker saw in one case, checked field by field before anything looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from ..key.model import Array
from ..messages.said import Said

MAX_NAME = 2000  # characters of a file's name, folders included
BOOL, FLOAT64, INT64 = np.dtype(bool), np.dtype(np.float64), np.dtype(np.int64)


class Outcome(StrEnum):
    """How one case ended."""

    RETURNED = "returned"
    RAISED = "raised"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


class Malformed(ValueError):
    """A worker's reply that does not have the agreed form."""


@dataclass(frozen=True)
class Seen:
    """One result or gradient.  `value` is None when it could not be sent (not dense, not on the CPU, too large)."""

    type: str  # "Tensor", or the name of another Python type
    dtype: str = ""
    shape: tuple[int, ...] = ()
    device: str = ""
    layout: str = ""
    value: Array | None = None


@dataclass(frozen=True)
class Raised:
    """An exception of the submission, with the learner's own file and line where known."""

    stage: str
    type: str
    message: str
    file: str | None = None
    line: int | None = None
    bases: tuple[str, ...] = ()  # names of the type and its bases


@dataclass(frozen=True)
class Lost:
    """A worker that did not survive what it was doing: TIMEOUT or CRASHED, and why."""

    outcome: Outcome
    cause: Said


@dataclass(frozen=True)
class Observation:
    outcome: Outcome
    results: tuple[Seen, ...] = ()
    gradients: Mapping[str, Seen | None] | None = None
    error: Raised | None = None
    refused: Mapping[str, Any] | None = None
    changed: tuple[str, ...] = ()
    repeats: bool = True
    instances: bool = True
    functions: tuple[str, ...] = ()
    operations: int = 0
    largest: int = 0
    cause: Said | None = None  # of a timeout or crash
    seconds: float = 0.0


@dataclass(frozen=True)
class ModuleReport:
    """How importing one topic file went."""

    error: Raised | None = None
    untouched: tuple[str, ...] = field(default=())
    lost: Lost | None = None  # when the worker did not survive it

    @property
    def failed(self) -> bool:
        return self.error is not None or self.lost is not None


def read_observation(meta: Any, arrays: Mapping[str, Array]) -> Observation:
    """The observation in a worker's frame.  Malformed when any field has another form than agreed."""
    meta = _mapping(meta)
    outcome = meta.get("outcome")
    if outcome not in (Outcome.RETURNED, Outcome.RAISED, Outcome.REFUSED):
        raise Malformed(f"{_in_short(outcome)} where an outcome was expected")
    results = tuple(_seen(r, arrays.get(f"result/{i}")) for i, r in enumerate(_list(meta.get("results", []), most=16)))
    gradients = meta.get("gradients")
    if gradients is not None:
        gradients = {
            _text(name): None if g is None else _seen(g, arrays.get(f"gradient/{name}"))
            for name, g in _mapping(gradients, most=100).items()
        }
    return Observation(
        Outcome(outcome),
        results,
        gradients,
        read_raised(meta.get("error")) if outcome == "raised" else None,
        read_refusal(meta.get("refused")) if outcome == "refused" else None,
        tuple(_text(name) for name in _list(meta.get("changed", []), most=100)),
        _boolean(meta.get("repeats", True)),
        _boolean(meta.get("instances", True)),
        tuple(_text(name) for name in _list(meta.get("functions", []), most=1000)),
        _count(meta.get("operations", 0)),
        _count(meta.get("largest", 0)),
        seconds=_seconds(meta.get("seconds", 0.0)),
    )


def read_raised(value: Any) -> Raised:
    value = _mapping(value)
    line, file = value.get("line"), value.get("file")
    return Raised(
        _text(value.get("stage")),
        _text(value.get("type")),
        _text(value.get("message"), 500),
        None if file is None else _text(file, MAX_NAME),
        None if line is None else _count(line),
        tuple(_text(name) for name in _list(value.get("bases", []), most=20)),
    )


def read_module(meta: Any) -> tuple[str, ModuleReport]:
    """(file name, report) of one imported topic file."""
    meta = _mapping(meta)
    file = _text(meta.get("file"))
    if "error" in meta:
        return file, ModuleReport(read_raised(meta["error"]))
    return file, ModuleReport(None, tuple(_text(name) for name in _list(meta.get("untouched", []), most=100)))


def read_hello(meta: Any) -> dict[str, str]:
    """The state of each layer of isolation."""
    return {_text(layer): _text(state) for layer, state in _mapping(_mapping(meta).get("isolation"), most=50).items()}


def _seen(value: Any, array: Array | None) -> Seen:
    value = _mapping(value)
    kind = _text(value.get("type"))
    if kind != "Tensor":
        return Seen(kind)
    shape = tuple(_count(n) for n in _list(value.get("shape"), most=16))
    dtype, device, layout = (_text(value.get(name)) for name in ("dtype", "device", "layout"))
    if array is not None and (array.shape != shape or array.dtype != _sent_as(dtype)):
        raise Malformed(f"{array.dtype} numbers of shape {array.shape} where {dtype} of {shape} was announced")
    return Seen(kind, dtype, shape, device, layout, array)


def _sent_as(dtype: str) -> np.dtype[Any]:
    """The dtype in which numbers of torch's `dtype` travel."""
    return BOOL if dtype == "bool" else FLOAT64 if "float" in dtype else INT64


def read_refusal(value: Any) -> dict[str, Any]:
    value = _mapping(value)
    refusal: dict[str, Any] = {"kind": _text(value.get("kind"))}
    if refusal["kind"] == "layers":
        refusal["missing"] = [_text(name) for name in _list(value.get("missing"), most=50)]
        refusal["found"] = [_text(name) for name in _list(value.get("found"), most=50)]
        refusal["shapes"] = [
            {
                "name": _text(s.get("name")),
                "found": [_count(n) for n in _list(s.get("found"), most=16)],
                "expected": [_count(n) for n in _list(s.get("expected"), most=16)],
            }
            for s in map(_mapping, _list(value.get("shapes"), most=50))
        ]
    else:
        for name in ("found", "expected", "message"):
            refusal[name] = _text(value.get(name, ""), 200)
    return refusal


def _mapping(value: Any, most: int = 1000) -> Mapping[str, Any]:
    if not isinstance(value, dict) or len(value) > most:
        raise Malformed(f"{type(value).__name__} where an object was expected")
    return value


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise Malformed(f"{type(value).__name__} where a list of at most {most} was expected")
    return value


def _text(value: Any, most: int = 200) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{type(value).__name__} where a text was expected")
    return value[:most]


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise Malformed(f"{_in_short(value)} where a count was expected")
    return value


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise Malformed(f"{_in_short(value)} where true or false was expected")
    return value


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < 1e9:
        raise Malformed(f"{_in_short(value)} where seconds were expected")
    return float(value)


def _in_short(value: Any) -> str:
    """A value for a message; of what is not a number or a text only its type, however deep it is nested."""
    return repr(value)[:40] if isinstance(value, str | int | float | None) else type(value).__name__
