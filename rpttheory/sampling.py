"""Random sets of blocks: which blocks one step of the method updates.

A sampling is a law over sets of blocks. Its marginals are taken as exactly the floats stored, so that
marginals, pair probabilities, support and expected cost describe one and the same law without rounding.
Probabilities are per block throughout; the order of a nested sampling follows from them.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .blocks import BlockOrder
from .certify.bracket import Bracket, round_down
from .errors import InvalidInput
from .validation import FloatArray, check_costs, check_probabilities, read_only, require_finite

BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]

# 2^-1022: below it floats lose digits, and 1/p may overflow.
_SMALLEST = float(np.finfo(np.float64).tiny)
_ENUMERABLE_BLOCKS = 20
_SUM_TOLERANCE = Fraction(1, 10**12)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One set of blocks that a sampling can return, with its exact positive probability."""

    probability: Fraction
    active: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "active", _frozen_bools(self.active))


class Sampling(Protocol):
    """A random set of blocks; every implementation passes `tests/contracts/test_sampling_contract.py`."""

    @property
    def probabilities(self) -> FloatArray:
        """The marginals p_k = Prob(block k is updated), read-only."""
        ...

    def pair_probabilities(self) -> FloatArray:
        """The B x B matrix of p_kl = Prob(blocks k and l are both updated), each rounded to nearest."""
        ...

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """p_kl / (p_k p_l), k from `first` and l from `second` (broadcast), within 4 * 2^-53 relative.

        This is the factor by which E[CLC] scales the (k, l) block of L.
        """
        ...

    def pair_fraction(self, first: int, second: int) -> Fraction:
        """p_kl of one pair, exactly; with k = l the exact marginal, which `probabilities` may round."""
        ...

    def support(self) -> Iterator[Outcome]:
        """The sets of positive probability; their probabilities add up to exactly 1."""
        ...

    def draw(self, rng: np.random.Generator, size: int | None = None) -> BoolArray:
        """One random set as a mask of shape (B,), or `size` independent ones as rows."""
        ...

    def sketch(self, active: ArrayLike) -> FloatArray:
        """active_k / p_k: the diagonal of C, one number per block."""
        ...

    def expected_cost(self, costs: ArrayLike) -> Bracket:
        """The expected cost of one step, sum_k p_k c_k, exactly."""
        ...


@dataclass(frozen=True, eq=False, init=False)
class _WithMarginals:
    """What all samplings share: everything that the marginals alone decide."""

    probabilities: FloatArray

    def __init__(self, probabilities: ArrayLike) -> None:
        values = check_probabilities(probabilities)
        if (values < _SMALLEST).any():
            at = int(np.argmax(values < _SMALLEST))
            raise InvalidInput(
                f"probabilities must be at least {_SMALLEST:.3g}, so that 1/p is finite and accurate",
                f"{values[at]:g} for block {at}",
                "a larger probability, or leave the block out",
            )
        object.__setattr__(self, "probabilities", values)

    def sketch(self, active: ArrayLike) -> FloatArray:
        """active_k / p_k: the diagonal of C, one number per block (rows of masks give rows)."""
        mask = np.asarray(active, dtype=np.bool_)
        if mask.ndim == 0 or mask.shape[-1] != self.probabilities.size:
            raise InvalidInput(
                f"active must have one entry per block, {self.probabilities.size} in all",
                f"shape {mask.shape}",
                "a mask from draw() or support()",
            )
        return mask / self.probabilities

    def expected_cost(self, costs: ArrayLike) -> Bracket:
        """The expected cost of one step, sum_k p_k c_k, exactly."""
        marginals, unit = _integers(self.probabilities)
        prices, price_unit = _integers(check_costs(costs, self.probabilities.size))
        return Bracket.of_fraction(sum(map(operator.mul, marginals, prices)) * unit * price_unit)

    def marginal_fraction(self, block: int) -> Fraction:
        """The float stored for one block as the fraction it is."""
        return Fraction(float(self.probabilities[block]))

    def draw(self, rng: np.random.Generator, size: int | None = None) -> BoolArray:
        """One random set as a mask of shape (B,), or `size` independent ones as rows."""
        # rng.random() is a uniform multiple of 2^-53, so Prob(u < x) = ceil(2^53 x) / 2^53: the bias is
        # below 2^-53. Seeing it would take at least 2^53 draws, so no test looks for it.
        return self._draw(rng, size) if size is not None else self._draw(rng, 1)[0]

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        raise NotImplementedError


@dataclass(frozen=True, eq=False, init=False)
class NestedSampling(_WithMarginals):
    """The PT-sketch: blocks are admitted in descending order of p, up to a random depth.

    The sets are nested, so p_kl = min(p_k, p_l). The largest p need not be 1; the mass above it is
    the outcome that nothing is updated.

    Paper: def:PTsketch

    Examples
    --------
    >>> for outcome in NestedSampling([0.25, 1.0, 0.5]).support():
    ...     print(outcome.probability, outcome.active)
    1/2 [False  True False]
    1/4 [False  True  True]
    1/4 [ True  True  True]
    """

    @cached_property
    def order(self) -> BlockOrder:
        """The order in which blocks are admitted."""
        return BlockOrder.from_probabilities(self.probabilities)

    def pair_probabilities(self) -> FloatArray:
        return np.minimum.outer(self.probabilities, self.probabilities)

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """min(p_k, p_l) / (p_k p_l) = 1 / max(p_k, p_l)."""
        k, m = _index_pair(first, second, self.probabilities.size)
        return np.asarray(1.0 / np.maximum(self.probabilities[k], self.probabilities[m]))

    def support(self) -> Iterator[Outcome]:
        """From the smallest set to the largest; at most B + 1 of them."""
        # Blocks of equal p enter together, so only the distinct levels separate outcomes.
        levels = [1.0, *np.unique(self.probabilities)[::-1].tolist(), 0.0]
        for level, below in itertools.pairwise(levels):
            if level > below:
                yield Outcome(Fraction(level) - Fraction(below), self.probabilities > below)

    def pair_fraction(self, first: int, second: int) -> Fraction:
        return min(self.marginal_fraction(first), self.marginal_fraction(second))

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        return np.asarray(self.probabilities > rng.random((size, 1)))


@dataclass(frozen=True, eq=False, init=False)
class IndependentSampling(_WithMarginals):
    """Each block is updated or not independently of the others.

    Examples
    --------
    >>> IndependentSampling([0.5, 1.0]).pair_ratio([0, 0], [0, 1])
    array([2., 1.])
    """

    def pair_probabilities(self) -> FloatArray:
        pairs = np.multiply.outer(self.probabilities, self.probabilities)
        np.fill_diagonal(pairs, self.probabilities)
        return pairs

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """1 off the diagonal, 1/p_k on it."""
        k, m = _index_pair(first, second, self.probabilities.size)
        return np.where(k == m, 1.0 / self.probabilities[k], 1.0)

    def support(self) -> Iterator[Outcome]:
        """Up to 2^B sets; refused beyond B = 20."""
        count = self.probabilities.size
        if count > _ENUMERABLE_BLOCKS:
            raise InvalidInput(
                f"an independent sampling can be enumerated up to {_ENUMERABLE_BLOCKS} blocks",
                f"{count} blocks, 2^{count} sets",
                "pair_probabilities() or draw(), which need no enumeration",
            )
        return self._extend(np.zeros(count, dtype=np.bool_), 0, Fraction(1))

    def _extend(self, active: BoolArray, block: int, probability: Fraction) -> Iterator[Outcome]:
        if block == active.size:
            yield Outcome(probability, active)
            return
        chance = Fraction(float(self.probabilities[block]))
        for included, factor in ((False, 1 - chance), (True, chance)):
            if factor > 0:
                active[block] = included
                yield from self._extend(active, block + 1, probability * factor)

    def pair_fraction(self, first: int, second: int) -> Fraction:
        marginal = self.marginal_fraction(first)
        return marginal if first == second else marginal * self.marginal_fraction(second)

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        return np.asarray(self.probabilities > rng.random((size, self.probabilities.size)))


@dataclass(frozen=True, eq=False, init=False)
class SingleBlockSampling(_WithMarginals):
    """Exactly one block per step, as in randomised coordinate descent.

    The probabilities must add up to 1 within 1e-12. Floats seldom add up to exactly 1: a remainder
    below 1 is the outcome that nothing is updated, and where the exact sum S is above 1 every p_k is
    replaced by p_k / S rounded down. `probabilities` shows the values in use.

    Examples
    --------
    >>> SingleBlockSampling([0.5, 0.5]).pair_ratio([0, 0], [0, 1])
    array([2., 0.])
    """

    def __init__(self, probabilities: ArrayLike) -> None:
        super().__init__(probabilities)
        exact, unit = _integers(self.probabilities)
        total = sum(exact) * unit
        if abs(total - 1) > _SUM_TOLERANCE:
            raise InvalidInput(
                "single-block probabilities must add up to 1", f"a sum of {float(total):.15g}", "p_k / sum(p)"
            )
        if total > 1:
            super().__init__([round_down(value * unit / total) for value in exact])

    def pair_probabilities(self) -> FloatArray:
        return np.diag(self.probabilities)

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """0 off the diagonal, 1/p_k on it."""
        k, m = _index_pair(first, second, self.probabilities.size)
        return np.where(k == m, 1.0 / self.probabilities[k], 0.0)

    def support(self) -> Iterator[Outcome]:
        """One set per block, then the empty set if rounding left it any mass."""
        rest = Fraction(1)
        for block, probability in enumerate(map(Fraction, self.probabilities.tolist())):
            rest -= probability
            yield Outcome(probability, np.arange(self.probabilities.size) == block)
        if rest > 0:
            yield Outcome(rest, np.zeros(self.probabilities.size, dtype=np.bool_))

    @cached_property
    def _thresholds(self) -> FloatArray:
        exact, unit = _integers(self.probabilities)
        return _cumulative(exact, int(1 / unit))

    def pair_fraction(self, first: int, second: int) -> Fraction:
        return self.marginal_fraction(first) if first == second else Fraction(0)

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        # A uniform above the last threshold picks no block.
        chosen = np.searchsorted(self._thresholds, rng.random(size), side="right")
        return np.asarray(chosen[:, None] == np.arange(self.probabilities.size))


@dataclass(frozen=True, eq=False, init=False)
class ExplicitSampling(_WithMarginals):
    """Any law with finite support, given as a list of sets and their weights.

    Weights are taken as exact and divided by their exact sum. The stored marginals are the exact ones
    rounded to nearest; pair ratios, support and expected cost come from the exact ones. A set may be
    listed more than once: its weights add up, and `support()` lists it as given.

    Parameters
    ----------
    active : (m, B) array of bool
        One row per set.
    weights : (m,) array
        Positive, in any unit.

    Examples
    --------
    >>> ExplicitSampling([[True, False], [True, True]], [2, 1]).probabilities
    array([1.        , 0.33333333])
    """

    active: BoolArray
    weights: FloatArray

    def __init__(self, active: ArrayLike, weights: ArrayLike) -> None:
        object.__setattr__(self, "active", _check_sets(active))
        object.__setattr__(self, "weights", _check_weights(weights, self.active.shape[0]))
        missing = ~self.active.any(axis=0)
        if missing.any():
            raise InvalidInput(
                "every block must be in some set",
                f"block {int(np.argmax(missing))} is in none of the {self.active.shape[0]} sets",
                "a set with that block, or leave the block out",
            )
        whole, total = self._masses
        if min(whole) < Fraction(_SMALLEST) * total:
            raise InvalidInput(
                f"every set must have a probability of at least {_SMALLEST:.3g}",
                f"weights from {self.weights.min():g} to {self.weights.max():g}",
                "leave the lightest sets out",
            )
        super().__init__(np.asarray(self._block_mass / total, dtype=np.float64))

    @cached_property
    def _masses(self) -> tuple[list[int], int]:
        """The weights as integers in a common unit, and their sum."""
        whole, _ = _integers(self.weights)
        return whole, sum(whole)

    @cached_property
    def _digits(self) -> FloatArray:
        """The masses in base 2^24, one row per place: products with masks are then exact in float64."""
        whole, _ = self._masses
        places = range(-(-max(whole).bit_length() // 24))
        return np.array([[(mass >> 24 * place) & 0xFFFFFF for mass in whole] for place in places], dtype=np.float64)

    @cached_property
    def _block_mass(self) -> NDArray[np.object_]:
        blocks = np.arange(self.active.shape[1])
        return self._joint_mass(blocks, blocks)

    def _joint_mass(self, first: IndexArray, second: IndexArray) -> NDArray[np.object_]:
        """The integer mass of the sets that contain both blocks of a pair, for 1-D index arrays."""
        result = np.zeros(first.size, dtype=np.object_)
        step = max(1, 2**21 // self.weights.size)  # bounds the memory
        for start in range(0, first.size, step):
            part = slice(start, start + step)
            both = (self.active[:, first[part]] & self.active[:, second[part]]).astype(np.float64)
            for place, mass in enumerate(self._digits @ both):
                result[part] += mass.astype(np.int64).astype(np.object_) * (1 << 24 * place)
        return result

    def pair_probabilities(self) -> FloatArray:
        count = self.probabilities.size
        first, second = np.indices((count, count)).reshape(2, -1)
        ratio = self._joint_mass(first, second) / self._masses[1]
        return np.asarray(ratio, dtype=np.float64).reshape(count, count)

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """p_kl / (p_k p_l) of the exact law, correctly rounded."""
        k, m = _index_pair(first, second, self.probabilities.size)
        both = self._joint_mass(k.ravel(), m.ravel()) * self._masses[1]
        # Python divides integers with one correct rounding.
        ratio = both / (self._block_mass[k.ravel()] * self._block_mass[m.ravel()])
        return np.asarray(ratio, dtype=np.float64).reshape(k.shape)

    def support(self) -> Iterator[Outcome]:
        """The sets in the order given."""
        whole, total = self._masses
        for mass, row in zip(whole, self.active, strict=True):
            yield Outcome(Fraction(mass, total), row)

    def expected_cost(self, costs: ArrayLike) -> Bracket:
        """The expected cost of one step, sum_k p_k c_k with the exact p_k."""
        prices, unit = _integers(check_costs(costs, self.probabilities.size))
        spent = sum(map(operator.mul, self._block_mass.tolist(), prices))
        return Bracket.of_fraction(Fraction(spent, self._masses[1]) * unit)

    @cached_property
    def _thresholds(self) -> FloatArray:
        return _cumulative(*self._masses)

    def pair_fraction(self, first: int, second: int) -> Fraction:
        mass = self._joint_mass(np.array([first]), np.array([second]))[0]
        return Fraction(int(mass), self._masses[1])

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        return np.asarray(self.active[np.searchsorted(self._thresholds, rng.random(size), side="right")])


def sampling_named(name: str, probabilities: ArrayLike) -> Sampling:
    """The sampling called 'nested', 'independent' or 'single' with the given marginals."""
    if name == "nested":
        return NestedSampling(probabilities)
    if name == "independent":
        return IndependentSampling(probabilities)
    if name == "single":
        return SingleBlockSampling(probabilities)
    raise InvalidInput("unknown sampling", repr(name), "nested, independent or single")


def _integers(values: FloatArray) -> tuple[list[int], Fraction]:
    """Integers and a power of two, `unit`, with values = integers * unit exactly.

    Sums and products of floats are then integer arithmetic, which is exact and much faster than one
    Fraction per entry.
    """
    mantissa, exponent = np.frexp(values)
    lowest = int(exponent.min())
    digits, shifts = (mantissa * 2.0**53).astype(np.int64).tolist(), (exponent - lowest).tolist()
    return list(map(operator.lshift, digits, shifts)), Fraction(2) ** (lowest - 53)


def _cumulative(masses: list[int], total: int) -> FloatArray:
    """Partial sums over `total`, each rounded once, so that errors do not pile up along the list."""
    return np.array([mass / total for mass in itertools.accumulate(masses)])


def _index_pair(first: ArrayLike, second: ArrayLike, count: int) -> tuple[IndexArray, IndexArray]:
    """Two broadcast index arrays; negative indices are refused, since -1 and B - 1 would differ."""
    pair = np.broadcast_arrays(np.asarray(first), np.asarray(second))
    for index in pair:
        if index.dtype.kind not in "iu":
            raise InvalidInput("block indices must be whole numbers", f"dtype {index.dtype}", "indices from 0")
        if index.size and not 0 <= index.min() <= index.max() < count:
            raise InvalidInput(
                f"block indices must lie in 0..{count - 1}", f"{index.min()}..{index.max()}", "count blocks from 0"
            )
    return pair[0].astype(np.intp), pair[1].astype(np.intp)


def _check_sets(active: ArrayLike) -> BoolArray:
    """A non-empty matrix of True and False (or 1 and 0), one row per set."""
    try:
        values = np.asarray(active)
    except ValueError as error:
        raise InvalidInput("active must be a rectangular array", str(error), "one row per set") from None
    if values.ndim != 2 or values.size == 0:
        raise InvalidInput("active must be a matrix, sets x blocks", f"shape {values.shape}", "one row per set")
    if values.dtype.kind not in "biuf" or not ((values == 0) | (values == 1)).all():
        raise InvalidInput("active must hold True and False", f"dtype {values.dtype}", "True where a block is in a set")
    return _frozen_bools(values)


def _check_weights(weights: ArrayLike, count: int) -> FloatArray:
    """Positive finite weights, one per set."""
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("weights must be numbers", repr(weights)[:80], "one number per set") from None
    if values.shape != (count,):
        raise InvalidInput(f"weights must have one number per set, {count} in all", f"shape {values.shape}", "a list")
    require_finite(values, "weights")
    if not (values > 0).all():
        at = int(np.argmax(~(values > 0)))
        raise InvalidInput("weights must be positive", f"{values[at]:g} for set {at}", "leave that set out")
    return read_only(values)


def _frozen_bools(values: NDArray[np.generic]) -> BoolArray:
    kept = np.array(values, dtype=np.bool_, copy=True)
    kept.flags.writeable = False
    return kept
