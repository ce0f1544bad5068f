"""Which mechanisms are right for sure, given that a known mistake explains everything that was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..judge.trace import WIDTH, Traces, distance
from ..key.model import CLEARED_BY_ALL, CLEARED_BY_NUMBERS, NOT_CLEARED, NOT_DRAWN, Array

Ids = tuple[str, ...]


def clears(
    rows: Sequence[tuple[Ids, Traces]],
    drawn: Mapping[Ids, Sequence[Traces]],
    mechanisms: Sequence[Sequence[str]],
    tolerances: Sequence[float],
    tells_pairs: Sequence[bool],
) -> Array:
    """uint8 (rows, mechanisms), see MistakeTable.  `drawn` has everything that was run, `mechanisms` their mistakes.

    A mistake of another mechanism may hide behind that of the row: then what was run with both looks like the row,
    and nothing is known about the other mechanism.  The same where the two were not run together, as in all rows of
    two mistakes.
    """
    found = [(ids, row) for ids, each in drawn.items() for row in each]
    together = {frozenset(ids) for ids in drawn}
    touches = np.array([[not set(ids).isdisjoint(m) for m in mechanisms] for ids, _ in found], dtype=bool)
    kinds, prints = _numbered([row for _, row in found] + [row for _, row in rows])
    known, known_prints = kinds[: len(found)], prints[: len(found)]
    by_numbers = np.array(tells_pairs)
    cleared = np.full((len(rows), len(mechanisms)), NOT_CLEARED, dtype=np.uint8)
    for r, (ids, _) in enumerate(rows):
        own, own_prints = kinds[len(found) + r], prints[len(found) + r]
        if len(ids) != 1:
            continue
        apart = (known != NOT_DRAWN) & ((known != own) | (distance(known_prints, own_prints) > np.array(tolerances)))
        in_numbers, at_all = apart[:, by_numbers].any(1), apart.any(1)
        for m, mistakes in enumerate(mechanisms):
            if not mistakes or ids[0] in mistakes or not all({ids[0], id} in together for id in mistakes):
                continue
            if in_numbers[touches[:, m]].all():
                cleared[r, m] = CLEARED_BY_NUMBERS
            elif at_all[touches[:, m]].all():
                cleared[r, m] = CLEARED_BY_ALL
    return cleared


def _numbered(rows: Sequence[Traces]) -> tuple[Array, Array]:
    """Kinds as numbers, (rows, cases), and prints, (rows, cases, WIDTH)."""
    index: dict[str, int] = {}
    kinds = [[NOT_DRAWN if t is None else index.setdefault(t.kind, len(index)) for t in row] for row in rows]
    prints = [[np.zeros(WIDTH) if t is None else t.numbers for t in row] for row in rows]
    return np.array(kinds), np.array(prints)
