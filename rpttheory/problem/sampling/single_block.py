"""One block per step, as in randomized coordinate descent."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InvalidInput
from ...numbers.bracket import round_down
from ...numbers.exact_array import FloatArray, Numbers
from .base import BoolArray, Outcome, Sampling, cumulative, index_pair, integers

_SUM_TOLERANCE = Fraction(1, 10**12)


@dataclass(frozen=True, eq=False, init=False)
class SingleBlockSampling(Sampling):
    """Exactly one block per step, as in randomized coordinate descent.

    The probabilities must add up to 1 within 1e-12. Floats seldom add up to exactly 1: a remainder
    below 1 is the outcome that nothing is updated, and where the exact sum S is above 1 every p_k
    is replaced by p_k / S rounded down. `probabilities` shows the values in use.

    Parameters
    ----------
    probabilities : array
        One per block.

    Examples
    --------
    >>> SingleBlockSampling([0.5, 0.5]).pair_ratio([0, 0], [0, 1])
    array([2., 0.])
    """

    name = "single"

    def __init__(self, probabilities: Numbers) -> None:
        super().__init__(probabilities)
        exact, unit = integers(self.marginals)
        total = sum(exact) * unit
        if abs(total - 1) > _SUM_TOLERANCE:
            raise InvalidInput(
                "single-block probabilities must add up to 1",
                f"a sum of {float(total):.15g}",
                "p_k / sum(p)",
            )
        if total > 1:
            super().__init__([round_down(value * unit / total) for value in exact])

    @classmethod
    def from_closed_form(cls, p: FloatArray) -> Self:
        """Return the sampling with the closed form's probabilities, which add up to 1 here."""
        return cls(p / p.sum())

    @property
    def max_blocks(self) -> int:
        return 1

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return 0 off the diagonal and 1/p_k on it."""
        k, m = index_pair(first, second, self.probabilities.size)
        return np.where(k == m, 1.0 / self.probabilities[k], 0.0)

    def support(self) -> Iterator[Outcome]:
        """Return one set per block, then the empty set if rounding left it any mass."""
        remainder = Fraction(1)
        for block, probability in enumerate(self.marginals.fractions()):
            remainder -= probability
            yield Outcome(probability, np.arange(self.probabilities.size) == block)
        if remainder > 0:
            yield Outcome(remainder, np.zeros(self.probabilities.size, dtype=np.bool_))

    @cached_property
    def _thresholds(self) -> FloatArray:
        exact, unit = integers(self.marginals)
        return cumulative(exact, int(1 / unit))

    def pair_fraction(self, first: int, second: int) -> Fraction:
        return self.marginals.fraction(first) if first == second else Fraction(0)

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        return self.blocks_at(rng.random(size))

    def blocks_at(self, uniforms: FloatArray) -> BoolArray:
        """Return one set per uniform number in [0, 1); one above the last threshold is empty."""
        blocks = np.searchsorted(self._thresholds, uniforms, side="right")
        return np.asarray(blocks[:, None] == np.arange(self.probabilities.size))
