"""A fixed number of blocks per step, all sets of that size equally likely."""

import itertools
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InvalidInput
from ...numbers.exact_array import FloatArray
from .base import BoolArray, Outcome, Sampling, check_enumerable, index_pair


@dataclass(frozen=True, eq=False, init=False)
class TauNice(Sampling):
    """Exactly tau blocks per step, every set of tau blocks with the same probability.

    Parameters
    ----------
    tau : int
        Number of blocks in a step, from 1 to `count`.
    count : int
        Number of blocks in all.

    Examples
    --------
    >>> TauNice(2, 4).probabilities
    array([0.5, 0.5, 0.5, 0.5])
    """

    name = "tau-nice"

    tau: int

    def __init__(self, tau: int, count: int) -> None:
        object.__setattr__(self, "tau", check_block_budget(tau, count, "tau"))
        super().__init__(np.full(count, Fraction(self.tau, count), dtype=object))

    @property
    def max_blocks(self) -> int:
        return self.tau

    def pair_fraction(self, first: int, second: int) -> Fraction:
        count = self.probabilities.size
        if first == second:
            return Fraction(self.tau, count)
        return Fraction(self.tau * (self.tau - 1), count * (count - 1))

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return B/tau on the diagonal and B (tau - 1) / (tau (B - 1)) off it."""
        count = self.probabilities.size
        k, m = index_pair(first, second, count)
        # For one block there are no pairs, and the second quotient is not used.
        apart = count * (self.tau - 1) / (self.tau * max(count - 1, 1))
        return np.where(k == m, count / self.tau, apart)

    def support(self) -> Iterator[Outcome]:
        """Return all sets of tau blocks; raise InvalidInput if there are more than 2^20."""
        count = self.probabilities.size
        sets = math.comb(count, self.tau)
        check_enumerable(sets)
        blocks = np.arange(count)
        for members in itertools.combinations(range(count), self.tau):
            yield Outcome(Fraction(1, sets), np.isin(blocks, members))

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        ranks = rng.random((size, self.probabilities.size)).argsort(axis=1).argsort(axis=1)
        return np.asarray(ranks < self.tau)


def check_block_budget(tau: int, count: int, argument: str) -> int:
    """Return a number of blocks per step as an int; raise InvalidInput outside 1..count."""
    try:
        blocks = operator.index(tau)
    except TypeError:
        blocks = 0
    if not 1 <= blocks <= count:
        raise InvalidInput(
            f"must be a whole number of blocks from 1 to {count}",
            repr(tau),
            "for one block per step",
            argument=argument,
            suggest={argument: 1},
        )
    return blocks
