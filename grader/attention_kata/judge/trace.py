"""Traces: an observation in a form small enough to keep for a thousand mistakes.

A trace has a *kind*, a text of everything discrete (exception, shapes, dtypes, where values are not
finite, which gradients are missing, which inputs changed), and a *print*, a random projection of all
numbers in float64.  Two observations are the same when their kinds are equal and their prints near.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..key.model import Array, DrawnCase
from ..sandbox.observation import Observation, Outcome, Seen

WIDTH = 4  # in a print; at a tolerance of 1e-5 chance agreement is out of the question
MAX_NUMBERS = 1 << 16  # of an array whose numbers may be those of a known mistake
MAX_KNOWN = 4096  # numbers of an array whose random vectors are kept
LARGEST = 1e100  # beyond it a sum could overflow
DEVICE_MISMATCH = re.compile(r"not on the expected device|at least two devices")
TWO_SIZES = re.compile(r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\)")  # a + b or b + a: the same


@dataclass(frozen=True)
class Trace:
    kind: str
    numbers: Array  # float64 (WIDTH,); NaN where not known


Traces = tuple[Trace | None, ...]  # one trace for each case; None where it was not drawn


def trace(observation: Observation, case: DrawnCase, mask_result: str = "") -> Trace:
    """The trace of an observation of `case`.  Half precision, float32 and meta cases have no print."""
    if observation.outcome is Outcome.RAISED:
        return Trace(_raised(observation, case), np.zeros(WIDTH))
    if observation.outcome is not Outcome.RETURNED:
        return Trace(_refused(observation, case), np.zeros(WIDTH))
    if case.script["device"] == "meta":
        elsewhere = any(seen.type == "Tensor" and seen.device != "meta" for seen in observation.results)
        return Trace("returned elsewhere" if elsewhere else "returned", np.zeros(WIDTH))

    parts, values = [], []
    for i, seen in enumerate(observation.results):
        seen = normal_form(seen, mask_result)
        free = case.free[i] if i < len(case.free) else None
        parts.append(_describe(seen))
        values.append(_values(seen, free))
    for name, gradient in sorted((observation.gradients or {}).items()):
        parts.append(f"{name}: {_describe(gradient) if gradient else 'no gradient'}")
        values.append(_values(gradient, None) if gradient else np.zeros(0))
    if observation.changed:
        parts.append(f"changed {','.join(observation.changed)}")
    if not (observation.repeats and observation.instances):
        parts.append("differs when called again")
    projected = project(np.concatenate(values)) if case.fingerprinted and values else np.zeros(WIDTH)
    return Trace("; ".join(parts), projected)


def normal_form(seen: Seen, mask_result: str) -> Seen:
    """A result as it is compared: a mask of 0 and 1 in any dtype is a bool mask; see Solution.mask_result."""
    if not mask_result or seen.value is None:
        return seen
    value = seen.value
    if value.dtype != bool:
        if not np.isin(value, (0, 1)).all():
            return seen  # an additive mask, say: compared as it is
        value = value == 1
    shape = value.shape
    if mask_result == "squeeze":
        shape = tuple(n for n in shape if n != 1)
    return Seen(seen.type, "bool", shape, seen.device, seen.layout, value.reshape(shape))


def project(values: Array) -> Array:
    """(n,) -> (WIDTH,): products with fixed pseudo-random vectors, the same on every machine."""
    if not values.size:
        return np.zeros(WIDTH)
    vectors = _known_vectors(values.size) if values.size <= MAX_KNOWN else _vectors(values.size)
    return np.asarray(vectors @ values)


def _vectors(size: int) -> Array:
    bits = np.random.PCG64(size).random_raw(WIDTH * size)
    return (bits >> np.uint64(11)).astype(np.float64).reshape(WIDTH, -1) * 2.0**-52 - 1.0


_known_vectors = lru_cache(128)(_vectors)  # the same sizes come with every submission


def close(found: Array, expected: Array, relative: float, absolute: float) -> Array:
    """Elementwise what numpy.isclose says, in a third of the time: equal, or finite and within the tolerance."""
    expected = expected.astype(np.float64, copy=False)
    with np.errstate(invalid="ignore"):
        within = np.abs(found - expected) <= absolute + relative * np.abs(expected)
    return np.asarray(within & np.isfinite(expected) | (found == expected))


def distance(a: Array, b: Array) -> Array:
    """Largest relative difference of prints, over the last axis; 0 where one of them is not known (NaN)."""
    size = 1.0 + np.maximum(np.abs(a), np.abs(b)).max(-1)
    return np.asarray(np.nan_to_num(np.abs(a - b).max(-1) / size, nan=0.0))


def _refused(observation: Observation, case: DrawnCase) -> str:
    """For layers: what is missing, what has which size, and whether there are layers of other names."""
    refused = observation.refused or {}
    text = f"{observation.outcome} {refused.get('kind', '')}"
    if refused.get("kind") != "layers":
        return f"{text} {refused.get('found', '')}"
    asked = {name for step in case.script["steps"] for name in step.get("weights", ())}
    others = any(name not in asked and name.endswith((".weight", ".bias")) for name in refused["found"])
    sizes = ",".join(f"{shape['name']}{shape['found']}" for shape in refused["shapes"])
    return f"{text} without {','.join(refused['missing'])} with {sizes}{' and others' if others else ''}"


def _raised(observation: Observation, case: DrawnCase) -> str:
    error = observation.error
    assert error is not None
    if case.raises:  # asked for: the words are the learner's own
        return f"raised {case.raises if case.raises in error.bases else error.type}"
    if case.script["device"] == "meta" and DEVICE_MISMATCH.search(error.message):
        return "raised for another device"
    message = "" if error.type == "AssertionError" else re.sub(r"0x[0-9a-f]+", "0x", error.message)  # own words
    message = TWO_SIZES.sub(lambda match: " ".join(sorted(match.groups())), message)
    return f"raised {error.stage} {error.type}: {message[:160]}"


def _describe(seen: Seen) -> str:
    if seen.type != "Tensor":
        return seen.type
    text = f"{seen.dtype}{list(seen.shape)}{'' if seen.layout == 'strided' else seen.layout}"
    if seen.value is not None and seen.value.dtype == np.float64 and not np.isfinite(seen.value).all():
        codes = np.where(np.isnan(seen.value), 1, np.where(seen.value > 0, 2, 3)) * ~np.isfinite(seen.value)
        text += f" not finite {zlib.crc32(codes.astype(np.uint8).tobytes()):08x}"
    return text


def _values(seen: Seen, free: Array | None) -> Array:
    if seen.value is None or seen.value.size > MAX_NUMBERS:
        return np.zeros(0)
    value = seen.value.astype(np.float64)
    if not (np.abs(value) <= LARGEST).all():
        value = np.where(np.isfinite(value), np.clip(value, -LARGEST, LARGEST), 0.0)
    if free is not None and free.shape == value.shape:
        value = np.where(free, 0.0, value)
    return value.ravel()


def equal(a: Trace | None, b: Trace | None, tolerance: float) -> bool:
    """Whether two traces cannot be told apart; a case that was not drawn tells nothing."""
    return a is None or b is None or (a.kind == b.kind and bool(distance(a.numbers, b.numbers) <= tolerance))


def distinct(known: Iterable[Traces], found: Iterable[Traces], tolerances: tuple[float, ...]) -> list[Traces]:
    """The rows of `found` that differ, in some case, from every row in `known` and from each other."""
    seen, new = list(known), []
    for row in found:
        if not any(all(map(equal, row, other, tolerances)) for other in seen):
            seen.append(row)
            new.append(row)
    return new
