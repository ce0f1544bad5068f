"""Which known mistakes explain what was observed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..key.model import CLEARED_BY_ALL, CLEARED_BY_NUMBERS, NOT_DRAWN, Array, Exercise, Mistake
from ..sandbox.observation import Observation, Outcome
from .information import Information, enough, information
from .trace import WIDTH, distance, trace

FINISHED = (Outcome.RETURNED, Outcome.RAISED, Outcome.REFUSED)
UNKNOWN = -2  # a kind that no drawn mistake has
MARGIN = 100  # every other explanation must be this many times farther away


class Confidence(StrEnum):
    """How much a message is sure of."""

    EXACT = "exact"  # the numbers are those that the mistakes give, and nothing else gives them
    ERROR = "error"  # there are no numbers: the error is the one that the mistakes give
    LIKELY = "likely"  # only what happens agrees
    EITHER = "either"  # two candidates, of which one is present
    RELATION = "relation"  # how the numbers are related to the right ones
    NUMBERS = "numbers"  # that they differ, and where
    NONE = ""


@dataclass(frozen=True)
class Explanation:
    """Ids of the mistakes that explain an observation (EXACT, ERROR, LIKELY), or of two candidates (EITHER).

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
        self.is_drawn = np.array([case.is_drawn for case in exercise.cases])
        finished, raised, returned = (np.zeros(len(exercise.cases), dtype=bool) for _ in range(3))
        self.observations, self._information = observations, dict[int, Information]()
        kinds = np.full(len(exercise.cases), UNKNOWN)
        prints = np.zeros((len(exercise.cases), WIDTH))
        index = {kind: i for i, kind in enumerate(self.table.kind_names)}
        for column, case in enumerate(exercise.cases):
            seen = observations.get(case.id)
            if seen is not None and seen.outcome in FINISHED:
                finished[column] = True
                raised[column] = seen.outcome is Outcome.RAISED
                returned[column] = seen.outcome is Outcome.RETURNED
                found = trace(seen, case, exercise.mask_result)
                kinds[column] = index.get(found.kind, UNKNOWN)
                prints[column] = found.numbers
        tolerances = np.array([case.tolerance for case in exercise.cases])
        self.finished, self.raised, self.returned = finished, raised, returned
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
        if not self.finished[columns].any():
            return None
        rows = self.agrees[:, columns].all(1) & self.differs[:, columns].any(1)
        found = self._fewest(rows, columns)
        if found is not None and found.confidence is not Confidence.EXACT:
            found = self._fewest(rows & ~self._refuted(), columns)
        return None if found is not None and self._empty(found.row, columns) else found

    def in_part(self, explanation: Explanation, cases: Sequence[str]) -> Explanation | None:
        """Of an explanation of the whole, what shows in these cases; None where it does not hold there.

        Where none of the mistakes shows by itself (as in float32, where numbers are not looked at), it is
        the one that shows in most cases.
        """
        columns = [self.columns[case] for case in cases]
        if not self.agrees[explanation.row, columns].all():
            return None
        unknown = (self.table.kinds[explanation.row] == NOT_DRAWN) & self.is_drawn & ~self.agrees[0]
        if unknown[columns].any():
            return None
        if explanation.confidence is Confidence.EITHER:  # one of the two, which is not known here either
            return explanation
        alone = {id: self.differs[row] for id in explanation.ids if (row := self._row((id,))) is not None}
        shown = tuple(id for id, differs in alone.items() if differs[columns].any())
        if not shown and alone:
            shown = (max(alone, key=lambda id: int(alone[id].sum())),)
        return Explanation(shown or explanation.ids, explanation.confidence, explanation.row)

    def right_besides(self, explanation: Explanation) -> tuple[str, ...]:
        """Titles of the mechanisms that are right for sure, given what explains the whole.

        Only where it explains every case, by its numbers; see MistakeTable.clears.
        """
        cleared, row = self.table.clears, explanation.row
        if cleared is None or explanation.confidence is not Confidence.EXACT or not self.agrees[row].all():
            return ()
        numbers = np.array([case.tells_pairs for case in self.exercise.cases])
        run = {CLEARED_BY_NUMBERS: self.finished[numbers].all(), CLEARED_BY_ALL: self.finished.all()}
        return tuple(m.title for m, by in zip(self.exercise.mechanisms, cleared[row], strict=True) if run.get(int(by)))

    # ------------------------------------------------------------------

    def _refuted(self) -> Array:
        """(rows,): whether what a row gives would show in a case that is right."""
        return np.asarray((self.differs & self.agrees[:1] & self.finished).any(1))

    def _empty(self, row: int, columns: Array) -> bool:
        """Whether it rests on numbers that many an answer comes to, such as NaN everywhere or nothing but 0."""
        rests_on = columns[self.in_numbers[row, columns] & self.returned[columns]]
        return any(self._says(column).wrong for column in rests_on) and not self._enough(rests_on)

    def _enough(self, columns: Array) -> bool:
        return enough(self._says(column) for column in columns)

    def _says(self, column: int) -> Information:
        """How much the wrong numbers of a finished case say."""
        if column not in self._information:
            case = self.exercise.cases[column]
            self._information[column] = information(self.observations[case.id], case, self.exercise.mask_result)
        return self._information[column]

    def _row(self, ids: tuple[str, ...]) -> int | None:
        return next((row for row, known in enumerate(self.table.ids) if known == ids), None)

    def _fewest(self, rows: Array, columns: Array) -> Explanation | None:
        """The explanation with the fewest mistakes, among these the one that holds in most cases.

        Nearest first, and alone only with a clear margin.
        """
        candidates = [int(row) for row in np.flatnonzero(rows) if self.table.ids[row]]
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
        shown = finished[self.differs[nearest, finished]]
        confidence = Confidence.LIKELY
        if self._enough(shown[self.in_numbers[nearest, shown]]):
            confidence = Confidence.EXACT
        elif shown.size and self.raised[shown].all():
            confidence = Confidence.ERROR
        limit = max(far[nearest], 1e-12) * MARGIN
        rivals = [
            row
            for row in candidates[1:]
            if far[row] <= limit and not self._same(self.table.ids[row], self.table.ids[nearest])
        ]
        ids = self.table.ids[nearest]
        if rivals and fewest == 1 and self._empty(nearest, columns):
            return None
        if rivals and fewest == 1:
            return Explanation((ids[0], self.table.ids[rivals[0]][0]), Confidence.EITHER, nearest)
        if rivals:  # several pairs give these numbers: what they have in common is certain
            ids = tuple(id for id in ids if all(id in self.table.ids[row] for row in rivals))
            return Explanation(ids, Confidence.LIKELY, nearest) if ids else None
        return Explanation(ids, confidence, nearest)

    def _same(self, a: tuple[str, ...], b: tuple[str, ...]) -> bool:
        """Whether two explanations are the same up to twins."""
        return {self._family(id) for id in a} == {self._family(id) for id in b}

    def _family(self, id: str) -> str:
        for ids in self.exercise.twins:
            if id in ids:
                return ids[0]
        mistake = self.catalogue.get(id)
        return min((id, *mistake.twins)) if mistake else id
