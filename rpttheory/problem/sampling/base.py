"""A random set of blocks: what all samplings share, in exact arithmetic."""

import itertools
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInput
from ...numbers.bracket import Bracket
from ...numbers.checks import check_costs, check_probabilities
from ...numbers.exact_array import ExactArray, FloatArray, Numbers

BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]

# 2^-1022: below it floats lose digits, and 1/p may overflow.
SMALLEST = float(np.finfo(np.float64).tiny)
# Listing so many sets takes seconds; more would seem to hang.
_MOST_SETS = 2**20


@dataclass(frozen=True, eq=False)
class Outcome:
    """One set of blocks that a sampling can return.

    Attributes
    ----------
    probability : Fraction
        Positive.
    active : ndarray of bool
        One entry per block.
    """

    probability: Fraction
    active: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "active", frozen_bools(self.active))


@dataclass(frozen=True, eq=False, init=False)
class Sampling(ABC):
    """A random set of blocks; every implementation passes `tests/problem/test_samplings.py`.

    Attributes
    ----------
    name : str
        The name that reports print, and that `NAMED_SAMPLINGS` in named.py knows.
    marginals : ExactArray
        p_k = Prob(block k is updated).
    """

    name: ClassVar[str]
    marginals: ExactArray

    def __init__(self, probabilities: Numbers) -> None:
        checked = check_probabilities(probabilities)
        values = checked.float64
        if (values < SMALLEST).any():
            at = int(np.argmax(values < SMALLEST))
            raise InvalidInput(
                f"must be at least {SMALLEST:.3g}, so that 1/p is finite and accurate",
                f"{values[at]:g} for block {at}",
                "a larger probability, or leave the block out",
                argument="probabilities",
            )
        object.__setattr__(self, "marginals", checked)

    @classmethod
    def from_closed_form(cls, p: FloatArray) -> Self:
        """Return the sampling with probabilities proportional to the closed form's."""
        return cls(ExactArray(p))

    @property
    def probabilities(self) -> FloatArray:
        """The marginals as the nearest doubles, read-only."""
        return self.marginals.float64

    @property
    def max_blocks(self) -> int:
        """The largest number of blocks that a step updates."""
        return len(self.marginals)

    @abstractmethod
    def pair_fraction(self, first: int, second: int) -> Fraction:
        """Return p_kl of one pair, exactly; with k = l the marginal."""

    @abstractmethod
    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return p_kl / (p_k p_l), k from `first` and l from `second` (broadcast), within 4 * 2^-53
        relative.

        This is the factor by which E[CLC] scales the (k, l) block of L.
        """

    @abstractmethod
    def support(self) -> Iterator[Outcome]:
        """Return the sets of positive probability; their probabilities add up to exactly 1."""

    @abstractmethod
    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        """Return `size` independent sets as rows."""

    def pair_probabilities(self) -> FloatArray:
        """Return p_kl = Prob(blocks k and l are both updated) for all pairs, each rounded once."""
        every = range(len(self.marginals))
        return np.array([[float(self.pair_fraction(k, m)) for m in every] for k in every])

    def sketch(self, active: ArrayLike) -> FloatArray:
        """Return active_k / p_k, the diagonal of C: one number per block (rows of masks give
        rows).
        """
        mask = np.asarray(active, dtype=np.bool_)
        if mask.ndim == 0 or mask.shape[-1] != self.probabilities.size:
            raise InvalidInput(
                f"must have one entry per block, {self.probabilities.size} in all",
                f"shape {mask.shape}",
                "a mask from draw() or support()",
                argument="active",
            )
        return mask / self.probabilities

    def expected_cost(self, costs: Numbers) -> Bracket:
        """Return the expected cost of one step, sum_k p_k c_k, exactly."""
        return expected_cost(self.marginals, check_costs(costs, self.probabilities.size))

    def draw(self, rng: np.random.Generator, size: int | None = None) -> BoolArray:
        """Return one random set as a mask of shape (B,), or `size` independent ones as rows."""
        # rng.random() is a uniform multiple of 2^-53, so Prob(u < x) = ceil(2^53 x) / 2^53: the
        # bias is below 2^-53. Seeing it would take at least 2^53 draws, so no test looks for it.
        return self._draw(rng, size) if size is not None else self._draw(rng, 1)[0]


def check_enumerable(sets: int) -> None:
    """Raise InvalidInput if a sampling has too many outcomes to be listed."""
    if sets > _MOST_SETS:
        raise InvalidInput(
            f"a sampling can be enumerated up to {_MOST_SETS} sets",
            f"{sets} sets",
            "pair_probabilities() or draw(), which need no enumeration",
        )


def frozen_bools(values: NDArray[np.generic]) -> BoolArray:
    """Return a copy of True and False with writing forbidden."""
    copy = np.array(values, dtype=np.bool_, copy=True)
    copy.flags.writeable = False
    return copy


def expected_cost(p: ExactArray, costs: ExactArray) -> Bracket:
    """Return sum_k p_k c_k, exactly."""
    (marginals, unit) = integers(p)
    (prices, price) = integers(costs)
    return Bracket.of_fraction(sum(map(operator.mul, marginals, prices)) * unit * price)


def integers(values: ExactArray) -> tuple[list[int], Fraction]:
    """Return integers and a fraction, `unit`, with values = integers * unit exactly.

    Sums and products are then integer arithmetic, which is exact and much faster than one Fraction
    per entry.
    """
    if values.exact is not None:
        ratios = values.ratios()
        common = math.lcm(*{below for _, below in ratios})
        return [above * (common // below) for above, below in ratios], Fraction(1, common)
    mantissa, exponent = np.frexp(values.float64)
    lowest = int(exponent.min())
    digits = (mantissa * 2.0**53).astype(np.int64).tolist()
    shifts = (exponent - lowest).tolist()
    return list(map(operator.lshift, digits, shifts)), Fraction(2) ** (lowest - 53)


def cumulative(masses: list[int], total: int) -> FloatArray:
    """Return partial sums over `total`, each rounded once, so that errors do not accumulate along
    the list.
    """
    return np.array([mass / total for mass in itertools.accumulate(masses)])


def index_pair(first: ArrayLike, second: ArrayLike, count: int) -> tuple[IndexArray, IndexArray]:
    """Return two broadcast index arrays; raise on negative indices, since -1 and B - 1 would
    differ.
    """
    pair = np.broadcast_arrays(np.asarray(first), np.asarray(second))
    for index in pair:
        if index.dtype.kind not in "iu":
            raise InvalidInput(
                "block indices must be whole numbers", f"dtype {index.dtype}", "indices from 0"
            )
        if index.size and not 0 <= index.min() <= index.max() < count:
            raise InvalidInput(
                f"block indices must lie in 0..{count - 1}",
                f"{index.min()}..{index.max()}",
                "count blocks from 0",
            )
    return pair[0].astype(np.intp), pair[1].astype(np.intp)
