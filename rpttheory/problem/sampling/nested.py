"""The PT-sketch: nested sets, admitted in descending order of probability."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...numbers.exact_array import FloatArray
from ..blocks import BlockOrder
from .base import BoolArray, Outcome, Sampling, index_pair


@dataclass(frozen=True, eq=False, init=False)
class NestedSampling(Sampling):
    """The PT-sketch: blocks are admitted in descending order of p, up to a random depth.

    The sets are nested, so p_kl = min(p_k, p_l). The largest p need not be 1; the mass above it is
    the outcome that nothing is updated.

    Parameters
    ----------
    probabilities : array
        One per block.

    Paper: def:PTsketch

    Examples
    --------
    >>> for outcome in NestedSampling([0.25, 1.0, 0.5]).support():
    ...     print(outcome.probability, outcome.active)
    1/2 [False  True False]
    1/4 [False  True  True]
    1/4 [ True  True  True]
    """

    name = "nested"

    @cached_property
    def order(self) -> BlockOrder:
        """The order in which blocks are admitted."""
        if self.marginals.exact is None:
            return BlockOrder.from_probabilities(self.probabilities)
        exact = self.marginals.fractions()
        return BlockOrder(sorted(range(len(exact)), key=lambda block: -exact[block]))

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return min(p_k, p_l) / (p_k p_l) = 1 / max(p_k, p_l)."""
        k, m = index_pair(first, second, self.probabilities.size)
        return np.asarray(1.0 / np.maximum(self.probabilities[k], self.probabilities[m]))

    def support(self) -> Iterator[Outcome]:
        """Return the sets from the smallest to the largest; at most B + 1 of them."""
        # Blocks of equal p enter together, so only the distinct levels separate outcomes.
        exact = self.marginals.fractions()
        levels = sorted({*exact, Fraction(1)}, reverse=True)
        place = {level: rank for rank, level in enumerate(levels)}
        entered = np.array([place[p] for p in exact])
        for rank, (level, below) in enumerate(itertools.pairwise([*levels, Fraction(0)])):
            yield Outcome(level - below, entered <= rank)

    def pair_fraction(self, first: int, second: int) -> Fraction:
        return min(self.marginals.fraction(first), self.marginals.fraction(second))

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        return np.asarray(self.probabilities > rng.random((size, 1)))
