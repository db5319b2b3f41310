"""One block of each group per step: a budget on the number of blocks that a step updates."""

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInput
from ...numbers.checks import check_probabilities
from ...numbers.exact_array import FloatArray, Numbers
from .base import BoolArray, Outcome, Sampling, check_enumerable, index_pair
from .single_block import SingleBlockSampling
from .tau_nice import check_block_budget


@dataclass(frozen=True, eq=False, init=False)
class OneOfEachGroup(Sampling):
    """Draw one block of each group, independently of the other groups.

    A step updates at most as many blocks as there are groups. With one group this is
    `SingleBlockSampling`, and with groups of one block each it is gradient descent.

    Parameters
    ----------
    groups : sequence of sequences of int
        A partition of the blocks, which are counted from 0.
    probabilities : sequence
        One per block. They add up to 1 within each group, as for `SingleBlockSampling`.

    Examples
    --------
    >>> OneOfEachGroup([[0, 1], [2]], [0.5, 0.5, 1.0]).pair_ratio([0, 0], [1, 2])
    array([0., 1.])

    Paper: our:blockBudget
    """

    name = "groups"

    groups: tuple[tuple[int, ...], ...]
    _group_of: NDArray[np.intp]
    _parts: tuple[SingleBlockSampling, ...]

    def __init__(self, groups: Sequence[Sequence[int]], probabilities: Numbers) -> None:
        p = check_probabilities(probabilities)
        members = _check_groups(groups, len(p))
        group_of = np.empty(len(p), dtype=np.intp)
        marginals = np.empty(len(p), dtype=object)
        parts = []
        for number, group in enumerate(members):
            part = SingleBlockSampling(p[list(group)])
            group_of[list(group)] = number
            marginals[list(group)] = part.marginals.fractions()
            parts.append(part)
        object.__setattr__(self, "groups", members)
        object.__setattr__(self, "_group_of", group_of)
        object.__setattr__(self, "_parts", tuple(parts))
        super().__init__(marginals)

    @classmethod
    def balanced(cls, block_L: ArrayLike, tau: int) -> "OneOfEachGroup":
        """Return tau groups with sums of L_k as equal as a greedy choice makes them.

        The probabilities are p_k = L_k / (the sum of L_j over its group), for which
        L_M <= lmax + (the largest sum of a group).

        Parameters
        ----------
        block_L : array
            L_k, positive, one per block.
        tau : int
            Number of groups, from 1 to the number of blocks.
        """
        constants = np.asarray(block_L, dtype=np.float64)
        groups = balanced_groups(constants, check_block_budget(tau, constants.size, "budget"))
        return cls(groups, probabilities_within(groups, constants))

    @property
    def max_blocks(self) -> int:
        return len(self.groups)

    def pair_fraction(self, first: int, second: int) -> Fraction:
        if first == second:
            return self.marginals.fraction(first)
        if self._group_of[first] == self._group_of[second]:
            return Fraction(0)
        return self.marginals.fraction(first) * self.marginals.fraction(second)

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return 1/p_k on the diagonal, 0 within a group and 1 between groups."""
        k, m = index_pair(first, second, self.probabilities.size)
        apart = np.where(self._group_of[k] == self._group_of[m], 0.0, 1.0)
        return np.where(k == m, 1.0 / self.probabilities[k], apart)

    def support(self) -> Iterator[Outcome]:
        """Return every choice of one block per group; raise InvalidInput beyond 2^20."""
        check_enumerable(math.prod(map(len, self.groups)))
        for choice in itertools.product(*(part.support() for part in self._parts)):
            active = np.zeros(self.probabilities.size, dtype=np.bool_)
            for group, outcome in zip(self.groups, choice, strict=True):
                active[list(group)] = outcome.active
            probability = math.prod((o.probability for o in choice), start=Fraction(1))
            yield Outcome(probability, active)

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        active = np.empty((size, self.probabilities.size), dtype=np.bool_)
        uniforms = rng.random((size, len(self.groups)))
        for group, part, column in zip(self.groups, self._parts, uniforms.T, strict=True):
            active[:, list(group)] = part.blocks_at(column)
        return active


def balanced_groups(sizes: FloatArray, count: int) -> list[list[int]]:
    """Split indices into groups of about equal sums: the largest first, each to the least sum."""
    sums = [(0.0, number) for number in range(count)]
    groups: list[list[int]] = [[] for _ in range(count)]
    for index in np.argsort(-sizes, kind="stable").tolist():
        total, number = heapq.heappop(sums)
        groups[number].append(index)
        heapq.heappush(sums, (total + float(sizes[index]), number))
    return groups


def probabilities_within(groups: Sequence[Sequence[int]], weights: FloatArray) -> FloatArray:
    """Return weights divided by the sum of the weights in their group."""
    p = np.empty(weights.size)
    for group in groups:
        members = list(group)
        p[members] = weights[members] / weights[members].sum()
    return p


def _check_groups(groups: Sequence[Sequence[int]], count: int) -> tuple[tuple[int, ...], ...]:
    """Return the groups as tuples of ints; raise InvalidInput unless they partition the blocks."""
    try:
        members = tuple(tuple(map(int, group)) for group in groups)
    except (TypeError, ValueError):
        members = ()
    if not all(members) or sorted(itertools.chain(*members)) != list(range(count)):
        raise InvalidInput(
            f"must contain each of the blocks 0 to {count - 1} once, and no group may be empty",
            str(groups)[:80],
            "lists of blocks such as [[0, 1], [2]]",
            argument="groups",
        )
    return members
