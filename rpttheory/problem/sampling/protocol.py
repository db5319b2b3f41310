"""What a sampling is: a law over sets of blocks, with its marginals and pair probabilities."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...numbers.bracket import Bracket
from ...numbers.exact_array import ExactArray, FloatArray

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Outcome:
    """One set of blocks that a sampling can return, with its exact positive probability."""

    probability: Fraction
    active: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "active", frozen_bools(self.active))


class Sampling(Protocol):
    """A random set of blocks; every implementation passes
    `tests/problem/test_samplings.py`.
    """

    @property
    def marginals(self) -> ExactArray:
        """p_k = Prob(block k is updated)."""

    @property
    def probabilities(self) -> FloatArray:
        """The marginals as the nearest doubles, read-only."""

    def pair_probabilities(self) -> FloatArray:
        """The B x B matrix of p_kl = Prob(blocks k and l are both updated), each rounded to
        nearest.
        """

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """p_kl / (p_k p_l), k from `first` and l from `second` (broadcast), within 4 * 2^-53
        relative.

        This is the factor by which E[CLC] scales the (k, l) block of L.
        """

    def pair_fraction(self, first: int, second: int) -> Fraction:
        """p_kl of one pair, exactly; with k = l the marginal."""

    def support(self) -> Iterator[Outcome]:
        """The sets of positive probability; their probabilities add up to exactly 1."""

    def draw(self, rng: np.random.Generator, size: int | None = None) -> BoolArray:
        """One random set as a mask of shape (B,), or `size` independent ones as rows."""

    def sketch(self, active: ArrayLike) -> FloatArray:
        """active_k / p_k: the diagonal of C, one number per block."""

    def expected_cost(self, costs: Any) -> Bracket:
        """The expected cost of one step, sum_k p_k c_k, exactly."""


def frozen_bools(values: NDArray[np.generic]) -> BoolArray:
    """A copy of True and False with writing forbidden."""
    copy = np.array(values, dtype=np.bool_, copy=True)
    copy.flags.writeable = False
    return copy
