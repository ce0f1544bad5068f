"""Random inputs for cases and domains, the same to the bit on every processor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

MOST = 6_000  # products in one draw, about: a key holds its numbers, and every submission computes them

T = TypeVar("T")


class Sampler:
    """Random arrays that are the same to the bit on every processor, one stream per (seed, name).

    Values are multiples of 2**-16, so that float32 holds them exactly: the float32 run of a case has
    the very inputs of its float64 run.  Sums of uniform numbers (Irwin-Hall) stand in for the normal
    distribution, since the last bit of log and cos differs between processors.
    """

    def __init__(self, seed: int, name: str):
        entropy = [seed & 0xFFFFFFFF, seed >> 32, *name.encode()]
        self._bits = np.random.PCG64(np.random.SeedSequence(entropy))

    def uniform(self, *shape: int) -> np.ndarray:
        """float64 in [0, 1)."""
        raw = self._bits.random_raw(int(np.prod(shape, dtype=int)))
        return (raw >> np.uint64(11)).astype(np.float64).reshape(shape) * 2.0**-53

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        """float64, mean 0 and standard deviation `scale`, within 6 standard deviations."""
        total = sum(self.uniform(*shape) for _ in range(12))
        return np.round((total - 6.0) * scale * 65536.0) / 65536.0

    def mask(self, *shape: int, open: float = 0.6) -> np.ndarray:
        """bool (..., T, S), True = may attend; S > 1.  Every row has a True and a False, every column a True."""
        *_, T, S = shape
        mask = self.uniform(*shape) < open
        for t in range(T):
            mask[..., t, t % S] = True
            mask[..., t, (t + 1) % S] = False
        for s in range(S):
            mask[..., s % T, s] = True
        return mask

    # ------------------------------------------------------------------ for domains: with a taste for corners

    def integer(self, low: int, high: int) -> int:
        """low to high, both included."""
        return low + int(self.uniform(1)[0] * (high - low + 1))

    def choice(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, probability: float) -> bool:
        return bool(self.uniform(1)[0] < probability)

    def size(self) -> int:
        """Of an axis, when nothing depends on it: 1 to 7."""
        return self.choice((1, 1, 2, 3, 4, 5, 6, 7))

    def large(self, most: int = 130) -> int:
        """Of an axis: 8 to `most`, often the round size of a buffer or one more."""
        sizes = [size for size in (8, 9, 16, 17, 32, 33, 64, 65, 66, 100, 128, 130) if size <= most]
        return self.choice((*sizes, self.integer(8, most)))

    def entries(self, *shape: int, scale: float | None = None) -> np.ndarray:
        """float64, normal numbers of some scale; at times a row of zeros, equal rows, or no positive number."""
        x = self.normal(*shape, scale=scale or self.choice((0.25, 1.0, 1.0, 2.0)))
        corners = ("zeros", "a row of zeros", "equal rows", "equal samples", "negative", "rows sum to 0")
        match self.choice(("", "", "", *corners)):
            case "zeros" if self.chance(0.3):
                x[...] = 0.0
            case "equal samples":
                x[...] = x[:1]
            case "a row of zeros" if x.ndim > 1:
                x[..., self.integer(0, shape[-2] - 1), :] = 0.0
            case "equal rows" if x.ndim > 1:
                x[..., 0, :] = x[..., -1, :]
            case "negative":
                x = -np.abs(x)
            case "rows sum to 0":
                x[..., -1] -= x.sum(-1)
        return x

    def pattern(self, *shape: int) -> np.ndarray:
        """bool of any density; at times all True, or all False in one row or column."""
        mask = self.uniform(*shape) < self.choice((0.2, 0.5, 0.8))
        match self.choice(("", "", "all", "equal samples", "a row", "a row hidden", "a column hidden", "one each")):
            case "all":
                mask[...] = True
            case "equal samples":
                mask[...] = mask[:1]
            case "a row" if mask.ndim > 1:
                mask[..., self.integer(0, shape[-2] - 1), :] = True
            case "a row hidden" if mask.ndim > 1:
                mask[..., self.integer(0, shape[-2] - 1), :] = False
            case "a column hidden":
                mask[..., self.integer(0, shape[-1] - 1)] = False
            case "one each":
                mask[...] = np.arange(shape[-1]) == self.integer(0, shape[-1] - 1)
        return mask

    def level(self, most: float) -> float:
        """A constant of either sign and of any order of magnitude, up to `most`."""
        sizes = [size for size in (1e-3, 1.0, 10.0, 100.0, 1e3, 1e4) if size < most]
        return self.choice((-1.0, 1.0)) * self.choice((0.0, *sizes, most))

    def laid_out(self, array: np.ndarray) -> np.ndarray:
        """The same numbers, perhaps in another order in memory, or every second number of a larger array."""
        match self.choice(("", "", "reversed axes", "swapped axes", "spaced", "expanded")):
            case "reversed axes":
                return np.ascontiguousarray(array.T).T
            case "swapped axes" if array.ndim > 1:
                return np.ascontiguousarray(array.swapaxes(0, -2 if array.ndim > 2 else 1)).swapaxes(
                    0, -2 if array.ndim > 2 else 1
                )
            case "spaced":
                spaced = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)[..., ::2]
                spaced[...] = array
                return spaced
            case "expanded" if array.ndim > 2 and (array == array[:1]).all():
                return np.broadcast_to(array[:1], array.shape)
        return array


def steepness(largest: float, asked: str = "") -> float | None:
    """The tolerance for a softmax of numbers as large as `largest`, where that is more than usual.

    Answers may take it, or the scale, in float32, whose numbers lie 2**-24 of their size apart.  `asked` may be
    "gradient" or "float32": these have more room as they are.
    """
    rounding = 2.0**-24 * float(largest)
    if asked == "float32":
        return max(1e-4, 40 * rounding)
    return max(1e-3 if asked == "gradient" else 1e-5, 8 * rounding)
