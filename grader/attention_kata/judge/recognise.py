"""Which known mistakes explain what was observed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..key.model import NOT_DRAWN, Array, Exercise, Mistake
from ..sandbox.observation import Observation, Outcome
from .trace import WIDTH, distance, trace

FINISHED = (Outcome.RETURNED, Outcome.RAISED, Outcome.REFUSED)
UNKNOWN = -2  # a kind that no drawn mistake has
MARGIN = 100  # every other explanation must be this many times farther away
FEWEST_BITS = 16  # of a mask that is to be recognised by itself: with fewer, some pair of mistakes fits by chance


class Confidence(StrEnum):
    """How much a message is sure of."""

    EXACT = "exact"  # the numbers are those that the mistakes give
    LIKELY = "likely"  # only what happens agrees
    EITHER = "either"  # two candidates, of which one is present
    RELATION = "relation"  # how the numbers are related to the right ones
    NUMBERS = "numbers"  # that they differ, and where
    NONE = ""


@dataclass(frozen=True)
class Explanation:
    """Ids of the mistakes that explain an observation (EXACT, LIKELY), or of two candidates (EITHER).

    `row` is that of the table they are found in.
    """

    ids: tuple[str, ...]
    confidence: Confidence
    row: int


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
            if seen is not None and seen.outcome in FINISHED:
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
        # First all cases; then those with numbers, since what happens in half precision may have another cause.
        for columns in (np.arange(len(self.columns)), np.flatnonzero(numbers)):
            found = self._fewest(self.agrees[:, columns].all(1) & self.differs[:, columns].any(1), columns)
            if found is not None:
                return found
        return None

    def in_cases(self, cases: Sequence[str]) -> Explanation | None:
        """The mistakes that explain these cases alone."""
        columns = np.array([self.columns[case] for case in cases])
        if not self.finished[columns].any() or self._too_small(cases):
            return None
        rows = self.agrees[:, columns].all(1) & self.differs[:, columns].any(1)
        return self._fewest(rows, columns)

    def in_part(self, explanation: Explanation, cases: Sequence[str]) -> Explanation | None:
        """Of an explanation of the whole, what shows in these cases; None where it does not hold there.

        Where none of the mistakes shows by itself (as in float32, where numbers are not looked at), it is
        the one that shows in most cases.
        """
        columns = [self.columns[case] for case in cases]
        if not self.agrees[explanation.row, columns].all():
            return None
        alone = {id: self.differs[row] for id in explanation.ids if (row := self._row((id,))) is not None}
        shown = tuple(id for id, differs in alone.items() if differs[columns].any())
        if not shown and alone:
            shown = (max(alone, key=lambda id: int(alone[id].sum())),)
        return Explanation(shown or explanation.ids, explanation.confidence, explanation.row)

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

    def _too_small(self, cases: Sequence[str]) -> bool:
        results = [result for id in cases for result in self.exercise.case(id).results]
        return 0 < sum(result.size if result.dtype == bool else FEWEST_BITS for result in results) < FEWEST_BITS

    def _row(self, ids: tuple[str, ...]) -> int | None:
        return next((row for row, known in enumerate(self.table.ids) if known == ids), None)

    def _fewest(self, rows: Array, columns: Array) -> Explanation | None:
        """The explanation with the fewest mistakes, among these the one that holds in most cases.

        Nearest first, and alone only with a clear margin.
        """
        candidates = [row for row in np.flatnonzero(rows) if self.table.ids[row]]
        if not candidates:
            return None
        fewest = min(len(self.table.ids[row]) for row in candidates)
        candidates = [row for row in candidates if len(self.table.ids[row]) == fewest]
        holds = {row: int(self.agrees[row].sum()) for row in candidates}
        candidates = [row for row in candidates if holds[row] == max(holds.values())]
        finished = columns[self.finished[columns]]
        far = {row: float(self.distances[row, finished].max()) for row in candidates}
        candidates.sort(key=far.__getitem__)
        nearest = candidates[0]
        exact = bool(self.in_numbers[nearest, finished].any())
        confidence = Confidence.EXACT if exact else Confidence.LIKELY
        limit = max(far[nearest], 1e-12) * MARGIN
        rivals = [
            row
            for row in candidates[1:]
            if far[row] <= limit and not self._same(self.table.ids[row], self.table.ids[nearest])
        ]
        ids = self.table.ids[nearest]
        if rivals and fewest == 1:
            return Explanation((ids[0], self.table.ids[rivals[0]][0]), Confidence.EITHER, int(nearest))
        if rivals:  # several pairs give these numbers: what they have in common is certain
            ids = tuple(id for id in ids if all(id in self.table.ids[row] for row in rivals))
            return Explanation(ids, Confidence.LIKELY, int(nearest)) if ids else None
        return Explanation(ids, confidence, int(nearest))

    def _same(self, a: tuple[str, ...], b: tuple[str, ...]) -> bool:
        """Whether two explanations are the same up to twins."""
        return {self._family(id) for id in a} == {self._family(id) for id in b}

    def _family(self, id: str) -> str:
        for ids in self.exercise.twins:
            if id in ids:
                return ids[0]
        mistake = self.catalogue.get(id)
        return min((id, *mistake.twins)) if mistake else id
