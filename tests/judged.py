"""Small exercises and observations written by hand, for tests of the judge: no worker, no torch."""

from dataclasses import replace

import numpy as np

from attention_kata.judge.trace import trace
from attention_kata.key.model import (
    NOT_DRAWN,
    Category,
    Check,
    DrawnCase,
    Exercise,
    Mechanism,
    Mistake,
    MistakeTable,
)
from attention_kata.sandbox.observation import Observation, Outcome, Raised, Seen

AXES = {"B": 2, "H": 3, "T": 4, "S": 6, "d_k": 8}
WIDTH = 4  # numbers in a print


def numbers(*shape):
    """Irregular numbers of both signs between -2 and 2."""
    return 2 * np.sin(np.arange(1.0, 1 + np.prod(shape, dtype=int)) ** 2).reshape(shape)


def plus(array, *numbers):
    """`array` with these numbers added."""
    return array + np.array(numbers)


def dtype_of(array):
    return {"b": "bool", "i": "int64", "f": "float64"}[array.dtype.kind]


def drawn(id, *results, device="cpu", dtype="float64", **facts):
    """A case of which these results are expected."""
    script = {"steps": (), "device": device, "dtype": dtype, "purity": False, "operations": False}
    defaults = {
        "script": script | facts.pop("script", {}),
        "arrays": {},
        "dtypes": tuple("float64" if dtype == "float64" and r.dtype.kind == "f" else
                        dtype_of(r) if r.dtype.kind != "f" else dtype for r in results),
        "gradients": {},
        "free": (),
        "exact": (),
        "raises": "",
        "tolerance": 1e-5,
        "fingerprinted": dtype == "float64" and device == "cpu",
    }  # fmt: skip
    return DrawnCase(id=id, results=results, **(defaults | facts))


def asking(asks, *cases, id=None, **facts):
    """A check of one point that asks this of these cases."""
    defaults = {"title": f"the {asks}", "category": Category.VALUES, "points": 1.0}
    return Check(id=id or asks, cases=cases, asks=asks, **(defaults | facts))


def exercise(cases, checks=(), mistakes=None, mechanisms=(), **facts):
    """`mistakes` has by ids the observations of cases, where these differ from the expected.

    `clears` is that of the table, see MistakeTable.
    """
    defaults = {
        "name": "thing",
        "file": "topic.py",
        "points": float(sum(check.points for check in checks)),
        "summary": "",
        "hints": ("", "", ""),
        "axes": AXES,
        "returns": ("result",),
        "mask_result": "",
        "forbidden": (),
        "twins": (),
    } | facts
    table = replace(tabulated(cases, mistakes or {}, defaults["mask_result"]), clears=defaults.pop("clears", None))
    return Exercise(checks=tuple(checks), cases=tuple(cases), mechanisms=tuple(mechanisms), mistakes=table, **defaults)


def tabulated(cases, mistakes, mask_result=""):
    """The table of these mistakes; None in the place of an observation is a case that was not drawn."""
    right = as_expected(*cases)
    rows = [((), right), *((ids, right | own) for ids, own in mistakes.items())]
    traces = [[trace(seen[c.id], c, mask_result) if seen[c.id] else None for c in cases] for _, seen in rows]
    names = tuple(dict.fromkeys(t.kind for row in traces for t in row if t))
    kinds = [[names.index(t.kind) if t else NOT_DRAWN for t in row] for row in traces]
    prints = [[t.numbers if t else np.zeros(WIDTH) for t in row] for row in traces]
    shape = (len(rows), len(cases))
    return MistakeTable(
        tuple(ids for ids, _ in rows),
        names,
        np.array(kinds, dtype=np.int32).reshape(shape),
        np.array(prints).reshape(*shape, WIDTH),
    )


def mechanism(name, *mistakes):
    return Mechanism(name, f"the {name}", mistakes)


def catalogue(*ids, **twins):
    return {id: Mistake(id, f"You did {id}.", f"Why {id}?", twins.get(id, ())) for id in ids}


# ---------------------------------------------------------------------- observations


def seen(array, dtype=None, device="cpu", layout="strided", shape=None):
    """A tensor, as a worker reports it; `array` may be None where its numbers could not be sent."""
    shape = tuple(array.shape if shape is None else shape)
    return Seen("Tensor", dtype or dtype_of(array), shape, device, layout, array)


def returned(*results, **facts):
    """Results: arrays, or `seen(...)`."""
    results = tuple(each if isinstance(each, Seen) else seen(each) for each in results)
    return Observation(Outcome.RETURNED, results, **facts)


def failed(type="ValueError", message="bad", *, stage="call", file="topic.py", line=3, bases=None, results=()):
    error = Raised(stage, type, message, file, line, (type, "Exception") if bases is None else bases)
    return Observation(Outcome.RAISED, tuple(map(seen, results)), error=error)


def refused(kind, **facts):
    return Observation(Outcome.REFUSED, refused={"kind": kind, **facts})


def as_expected(*cases):
    """Observations of a right answer, by case."""
    found = {}
    for case in cases:
        if case.raises:
            found[case.id] = failed(case.raises)
            continue
        results = [seen(r, dtype, case.script["device"]) for r, dtype in zip(case.results, case.dtypes, strict=True)]
        gradients = {name: g if g is None else seen(g) for name, g in case.gradients.items()} or None
        found[case.id] = returned(*results, gradients=gradients, operations=case.operations)
    return found
