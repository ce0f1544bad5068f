"""The answer key as a file: safetensors for the numbers, a versioned JSON header for the rest.

Loading needs numpy and safetensors, no torch, and never unpickles anything.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ..errors import KataError
from ..files import write_whole
from .model import NOT_DRAWN, SCHEMA, AnswerKey, Array, Check, DrawnCase, Exercise, Mechanism, Mistake, MistakeTable


def torch_version() -> str:
    """Of the installed torch, without importing it; "" when there is none."""
    with suppress(PackageNotFoundError):
        return version("torch")
    return ""


def check_torch(key: AnswerKey, name: str) -> None:
    """KataError where the key was drawn with another torch: its numbers could fail a right answer."""
    here, there = (each.split("+")[0] for each in (torch_version(), key.torch))
    if here != there:
        raise KataError(
            f"{name} was drawn with torch {there}, but torch here is {here or 'missing'}: "
            f"draw a new one with `kata dev key`, or pip install torch=={there}"
        )


READABLE = (1, SCHEMA)
MAX_BYTES = 256 << 20
HEADER = "attention-kata"


class BadKey(KataError):
    """A key file that cannot be used, in one line that says what to do."""


def key_bytes(key: AnswerKey) -> bytes:
    """The key as safetensors; the same key gives the same bytes."""
    arrays: dict[str, Array] = {}
    exercises = [_exercise_header(exercise, arrays, key.schema) for exercise in key.exercises]
    header = {
        "schema": key.schema,
        "course": key.course,
        "title": key.title,
        "version": key.version,
        "torch": key.torch,
        "seed": key.seed,
        "exercises": exercises,
        "catalogue": [asdict(mistake) for mistake in key.catalogue.values()],
    }
    arrays = {name: np.asarray(array, order="C") for name, array in arrays.items()}  # safetensors ignores strides
    return save(arrays, {HEADER: json.dumps(header, ensure_ascii=False)})


def save_key(key: AnswerKey, path: Path) -> int:
    """Write the key; the file is complete or not there -> its size in bytes."""
    return write_whole(path, [key_bytes(key)])


def load_key(path: Path) -> AnswerKey:
    """Read a key file.  BadKey when it is missing, damaged, or of another schema."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadKey(f"{path} is larger than {MAX_BYTES >> 20} MiB: this is not an answer key")
        data = path.read_bytes()
    except OSError as error:
        raise BadKey(f"{path} cannot be read: {error.strerror}. Draw a key with: kata dev key --out FILE") from None
    return parse_key(data, str(path))


def parse_key(data: bytes, name: str = "the key") -> AnswerKey:
    try:
        header = json.loads(_metadata(data)[HEADER])
        if header.get("schema") not in READABLE:
            raise BadKey(
                f"{name} has schema {header.get('schema')}, but this program reads {SCHEMA}: "
                "draw it again with `kata dev key`"
            )
        arrays = load(data)
        return AnswerKey(
            header["course"],
            header["title"],
            header["version"],
            header["torch"],
            header["seed"],
            tuple(_exercise(e, arrays) for e in header["exercises"]),
            {m["id"]: Mistake(m["id"], m["message"], m["question"], tuple(m["twins"])) for m in header["catalogue"]},
            header["schema"],
        )
    except (SafetensorError, LookupError, TypeError, ValueError, AttributeError, struct.error) as error:
        raise BadKey(f"{name} is not an answer key ({type(error).__name__}): draw one with `kata dev key`") from None


def _metadata(data: bytes) -> Mapping[str, str]:
    (length,) = struct.unpack_from("<Q", data)
    return dict(json.loads(data[8 : 8 + length])["__metadata__"])


def _exercise_header(exercise: Exercise, arrays: dict[str, Array], schema: int) -> dict[str, Any]:
    table, name = exercise.mistakes, exercise.name
    numbered = _numbered(exercise.cases)
    prints = table.prints[:, numbered] if schema == 1 else table.prints[numbered & (table.kinds != NOT_DRAWN)]
    arrays |= {f"{name}/kinds": table.kinds.astype(np.int16), f"{name}/prints": prints}
    if table.clears is not None:
        arrays[f"{name}/clears"] = table.clears
    return {
        "name": name,
        "file": exercise.file,
        "points": exercise.points,
        "summary": exercise.summary,
        "hints": exercise.hints,
        "checks": [asdict(check) for check in exercise.checks],
        "cases": [_case_header(f"{name}/{case.id}", case, arrays) for case in exercise.cases],
        "mechanisms": [asdict(mechanism) for mechanism in exercise.mechanisms],
        "ids": table.ids,
        "kind_names": table.kind_names,
        "axes": dict(exercise.axes),
        "returns": exercise.returns,
        "mask_result": exercise.mask_result,
        "forbidden": exercise.forbidden,
        "twins": exercise.twins,
    }


def _case_header(prefix: str, case: DrawnCase, arrays: dict[str, Array]) -> dict[str, Any]:
    def put(name: str, array: Array | None) -> str | None:
        if array is None:
            return None
        arrays[f"{prefix}/{name}"] = array
        return f"{prefix}/{name}"

    return {
        "id": case.id,
        "script": case.script,
        "arrays": {name: put(f"in/{name}", array) for name, array in case.arrays.items()},
        "results": [put(f"out/{i}", array) for i, array in enumerate(case.results)],
        "dtypes": case.dtypes,
        "gradients": {name: put(f"gradient/{name}", array) for name, array in case.gradients.items()},
        "free": [put(f"free/{i}", array) for i, array in enumerate(case.free)],
        "exact": [put(f"exact/{i}", array) for i, array in enumerate(case.exact)],
        "raises": case.raises,
        "tolerance": case.tolerance,
        "fingerprinted": case.fingerprinted,
        "operations": case.operations,
    }


def _exercise(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Exercise:
    name = header["name"]
    cases = tuple(_case(case, arrays) for case in header["cases"])
    return Exercise(
        name,
        header["file"],
        header["points"],
        header["summary"],
        tuple(header["hints"]),
        tuple(Check(**{**check, "cases": tuple(check["cases"])}) for check in header["checks"]),
        cases,
        tuple(Mechanism(m["name"], m["title"], tuple(m["mistakes"])) for m in header["mechanisms"]),
        MistakeTable(
            tuple(tuple(ids) for ids in header["ids"]),
            tuple(header["kind_names"]),
            arrays[f"{name}/kinds"].astype(np.int32),
            _all_prints(arrays[f"{name}/prints"], cases, arrays[f"{name}/kinds"]),
            arrays.get(f"{name}/clears"),
        ),
        header["axes"],
        tuple(header["returns"]),
        header["mask_result"],
        tuple(header["forbidden"]),
        tuple(tuple(ids) for ids in header["twins"]),
    )


def _numbered(cases: Sequence[DrawnCase]) -> Array:
    """bool (cases,): those that are recognised by numbers; the prints of others are 0, and not stored."""
    return np.array([case.fingerprinted for case in cases], dtype=bool)


def _all_prints(prints: Array, cases: Sequence[DrawnCase], kinds: Array) -> Array:
    full = np.zeros((*kinds.shape, prints.shape[-1]))
    if prints.ndim == 3:  # schema 1
        full[:, _numbered(cases)] = prints
    else:
        full[_numbered(cases) & (kinds != NOT_DRAWN)] = prints
    return full


def _case(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> DrawnCase:
    def each(names: list[str | None]) -> Iterator[Array | None]:
        return (None if name is None else arrays[name] for name in names)

    return DrawnCase(
        header["id"],
        header["script"],
        {name: arrays[stored] for name, stored in header["arrays"].items()},
        tuple(a for a in each(header["results"]) if a is not None),
        tuple(header["dtypes"]),
        {name: None if stored is None else arrays[stored] for name, stored in header["gradients"].items()},
        tuple(each(header["free"])),
        tuple(a for a in each(header["exact"]) if a is not None),
        header["raises"],
        header["tolerance"],
        header["fingerprinted"],
        header["operations"],
    )
