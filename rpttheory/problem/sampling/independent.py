"""Blocks that are updated independently of each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from ...numbers.exact_array import FloatArray
from .base import BoolArray, Outcome, Sampling, check_enumerable, index_pair


@dataclass(frozen=True, eq=False, init=False)
class IndependentSampling(Sampling):
    """Each block is updated or not independently of the others.

    Parameters
    ----------
    probabilities : array
        One per block.

    Examples
    --------
    >>> IndependentSampling([0.5, 1.0]).pair_ratio([0, 0], [0, 1])
    array([2., 1.])
    """

    name = "independent"

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return 1 off the diagonal and 1/p_k on it."""
        k, m = index_pair(first, second, self.probabilities.size)
        return np.where(k == m, 1.0 / self.probabilities[k], 1.0)

    def support(self) -> Iterator[Outcome]:
        """Return up to 2^B sets; raise InvalidInput beyond B = 20."""
        count = self.probabilities.size
        check_enumerable(2**count)
        return self._extend(np.zeros(count, dtype=np.bool_), 0, Fraction(1))

    def _extend(self, active: BoolArray, block: int, probability: Fraction) -> Iterator[Outcome]:
        if block == active.size:
            yield Outcome(probability, active)
            return
        chance = self.marginals.fraction(block)
        for included, factor in ((False, 1 - chance), (True, chance)):
            if factor > 0:
                active[block] = included
                yield from self._extend(active, block + 1, probability * factor)

    def pair_fraction(self, first: int, second: int) -> Fraction:
        marginal = self.marginals.fraction(first)
        return marginal if first == second else marginal * self.marginals.fraction(second)

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        return np.asarray(self.probabilities > rng.random((size, self.probabilities.size)))
