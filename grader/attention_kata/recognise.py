"""Which known mistakes explain what was observed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .model import NOT_DRAWN, Array, Exercise, Mistake
from .observation import Observation
from .trace import WIDTH, distance, trace

UNKNOWN = -2  # a kind that no drawn mistake has
MARGIN = 100  # every other explanation must be this many times farther away


@dataclass(frozen=True)
class Explanation:
    """Ids of the mistakes that explain an observation.

    `confidence`: "exact", the numbers are those the mistakes give; "likely", only what happens agrees;
    "either", `ids` are two candidates and one of them is present.
    """

    ids: tuple[str, ...]
    confidence: str


class Recogniser:
    """Compares one submission's observations of an exercise with the mistakes in the answer key."""

    def __init__(self, exercise: Exercise, catalogue: Mapping[str, Mistake], observations: Mapping[str, Observation]):
        self.exercise, self.catalogue, self.table = exercise, catalogue, exercise.mistakes
        self.columns = {case.id: column for column, case in enumerate(exercise.cases)}
        finished = np.zeros(len(exercise.cases), dtype=bool)
        kinds = np.full(len(exercise.cases), UNKNOWN)
        prints = np.zeros((len(exercise.cases), WIDTH))
        index = {kind: i for i, kind in enumerate(self.table.kind_names)}
        for column, case in enumerate(exercise.cases):
            seen = observations.get(case.id)
            if seen is not None and seen.outcome in ("returned", "raised", "refused"):
                finished[column] = True
                found = trace(seen, case, exercise.mask_result)
                kinds[column] = index.get(found.kind, UNKNOWN)
                prints[column] = found.numbers
        tolerances = np.array([case.tolerance for case in exercise.cases])
        self.finished = finished
        self.distances = distance(self.table.prints, prints[None])  # (rows, cases)
        drawn = self.table.kinds != NOT_DRAWN
        self.distances[~drawn] = 0.0
        same = (self.table.kinds == kinds[None]) & (self.distances <= tolerances[None])
        self.agrees = same | ~drawn | ~finished[None]
        self.in_numbers = drawn & (distance(self.table.prints, self.table.prints[:1]) > tolerances[None])
        self.differs = drawn & (self.table.kinds != self.table.kinds[:1]) | self.in_numbers  # from the reference

    def everywhere(self) -> Explanation | None:
        """The mistakes that explain all cases of the exercise."""
        if not self.finished.any() or self.agrees[0].all():
            return None
        numbers = np.array([case.fingerprinted for case in self.exercise.cases]) & self.finished
        for columns in (
            np.arange(len(self.columns)),
            np.flatnonzero(numbers),
        ):  # what happens in half precision may differ
            found = self._fewest(self.agrees[:, columns].all(1) & self.differs[:, columns].any(1), columns)
            if found is not None:
                return found
        return None

    def in_cases(self, cases: Sequence[str]) -> Explanation | None:
        """The mistakes that explain these cases alone."""
        columns = np.array([self.columns[case] for case in cases])
        if not self.finished[columns].any():
            return None
        rows = self.agrees[:, columns].all(1) & self.differs[:, columns].any(1)
        return self._fewest(rows, columns)

    def shown_by(self, ids: Sequence[str], cases: Sequence[str]) -> tuple[str, ...]:
        """Those of `ids` that show in these cases, each taken alone; all of them if none does."""
        columns = [self.columns[case] for case in cases]
        shown = tuple(id for id in ids if (row := self._row((id,))) is not None and self.differs[row, columns].any())
        return shown or tuple(ids)

    def cleared(self, cases: Sequence[str]) -> tuple[str, ...]:
        """Titles of the mechanisms in which no known mistake is left, given that these cases are right."""
        columns = [self.columns[case] for case in cases]
        return tuple(
            mechanism.title
            for mechanism in self.exercise.mechanisms
            if mechanism.mistakes
            and all(
                (row := self._row((id,))) is not None and self.differs[row, columns].any() for id in mechanism.mistakes
            )
        )

    def others_right(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Titles of the mechanisms in which none of `ids` lies."""
        return tuple(m.title for m in self.exercise.mechanisms if not set(ids) & set(m.mistakes))

    # ------------------------------------------------------------------

    def _row(self, ids: tuple[str, ...]) -> int | None:
        return next((row for row, known in enumerate(self.table.ids) if known == ids), None)

    def _fewest(self, rows: Array, columns: Array) -> Explanation | None:
        """The explanation with the fewest mistakes; nearest first, and alone only with a clear margin."""
        candidates = [row for row in np.flatnonzero(rows) if self.table.ids[row]]
        if not candidates:
            return None
        fewest = min(len(self.table.ids[row]) for row in candidates)
        candidates = [row for row in candidates if len(self.table.ids[row]) == fewest]
        finished = columns[self.finished[columns]]
        far = {row: float(self.distances[row, finished].max()) for row in candidates}
        candidates.sort(key=far.__getitem__)
        nearest = candidates[0]
        exact = bool(self.in_numbers[nearest, finished].any()) or len(finished) == len(self.columns)
        confidence = "exact" if exact else "likely"
        limit = max(far[nearest], 1e-12) * MARGIN
        for row in candidates[1:]:
            if far[row] <= limit and not self._same(self.table.ids[row], self.table.ids[nearest]):
                if fewest == 1:
                    return Explanation((self.table.ids[nearest][0], self.table.ids[row][0]), "either")
                return None
        return Explanation(self.table.ids[nearest], confidence)

    def _same(self, a: tuple[str, ...], b: tuple[str, ...]) -> bool:
        """Whether two explanations are the same up to twins."""
        return {self._family(id) for id in a} == {self._family(id) for id in b}

    def _family(self, id: str) -> str:
        for ids in self.exercise.twins:
            if id in ids:
                return ids[0]
        mistake = self.catalogue.get(id)
        return min((id, *mistake.twins)) if mistake else id
