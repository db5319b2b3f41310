"""Any distribution with finite support: a list of sets and their weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInput
from ...numbers.exact_array import ExactArray, FloatArray, Numbers, exact_array
from .base import (
    SMALLEST,
    BoolArray,
    Outcome,
    Sampling,
    cumulative,
    frozen_bools,
    index_pair,
    integers,
)


@dataclass(frozen=True, eq=False, init=False)
class ExplicitSampling(Sampling):
    """Any distribution with finite support, given as a list of sets and their weights.

    Weights are divided by their sum, exactly. A set may be listed more than once: its weights add
    up, and `support()` lists it as given.

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

    name = "explicit"

    active: BoolArray
    weights: ExactArray

    def __init__(self, active: ArrayLike, weights: Numbers) -> None:
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
        if min(whole) < Fraction(SMALLEST) * total:
            raise InvalidInput(
                f"every set must have a probability of at least {SMALLEST:.3g}",
                f"weights from {self.weights.float64.min():g} to {self.weights.float64.max():g}",
                "leave the lightest sets out",
            )
        exact = [Fraction(mass, total) for mass in self._block_mass.tolist()]
        super().__init__(np.array(exact, dtype=object))

    @cached_property
    def _masses(self) -> tuple[list[int], int]:
        """The weights as integers in a common unit, and their sum."""
        whole, _ = integers(self.weights)
        return whole, sum(whole)

    def _mass_of_pairs(self, rows: BoolArray) -> NDArray[np.object_]:
        """Return the mass of the sets that are in a row and contain a block, as integers.

        Masses are split into digits in base 2^24, whose sums are exact in float64.
        """
        whole, _ = self._masses
        result = np.zeros((rows.shape[1], self.active.shape[1]), dtype=np.object_)
        for shift in range(0, max(whole).bit_length(), 24):
            digits = np.array([(mass >> shift) & 0xFFFFFF for mass in whole], dtype=np.float64)
            sums = (rows.T * digits) @ self.active.astype(np.float64)
            result += sums.astype(np.int64).astype(np.object_) * (1 << shift)
        return result

    @cached_property
    def _block_mass(self) -> NDArray[np.object_]:
        everything = np.ones((len(self.weights), 1), dtype=np.bool_)
        return self._mass_of_pairs(everything).ravel()

    @cached_property
    def _joint_mass(self) -> NDArray[np.object_]:
        """The mass of the sets that contain both blocks, for all pairs of blocks."""
        return self._mass_of_pairs(self.active)

    def pair_ratio(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return p_kl / (p_k p_l) of the exact distribution, correctly rounded."""
        k, m = index_pair(first, second, self.probabilities.size)
        # Python divides integers with one correct rounding.
        both = self._joint_mass[k, m] * self._masses[1]
        return np.asarray(both / (self._block_mass[k] * self._block_mass[m]), dtype=np.float64)

    def support(self) -> Iterator[Outcome]:
        """Return the sets in the order given."""
        whole, total = self._masses
        for mass, row in zip(whole, self.active, strict=True):
            yield Outcome(Fraction(mass, total), row)

    @cached_property
    def _thresholds(self) -> FloatArray:
        return cumulative(*self._masses)

    @property
    def max_blocks(self) -> int:
        return int(self.active.sum(axis=1).max())

    def pair_fraction(self, first: int, second: int) -> Fraction:
        return Fraction(self._joint_mass[first, second], self._masses[1])

    def _draw(self, rng: np.random.Generator, size: int) -> BoolArray:
        return np.asarray(
            self.active[np.searchsorted(self._thresholds, rng.random(size), side="right")]
        )


def _check_sets(active: ArrayLike) -> BoolArray:
    """Return a non-empty matrix of True and False (or 1 and 0), one row per set."""
    try:
        values = np.asarray(active)
    except ValueError as error:
        raise InvalidInput(
            "must be a rectangular array", str(error), "one row per set", argument="active"
        ) from None
    if values.ndim != 2 or values.size == 0:
        raise InvalidInput(
            "must be a matrix, sets x blocks",
            f"shape {values.shape}",
            "one row per set",
            argument="active",
        )
    if values.dtype.kind not in "biuf" or not ((values == 0) | (values == 1)).all():
        raise InvalidInput(
            "must hold True and False",
            f"dtype {values.dtype}",
            "True where a block is in a set",
            argument="active",
        )
    return frozen_bools(values)


def _check_weights(weights: Numbers, count: int) -> ExactArray:
    """Return positive finite weights, one per set."""
    values = exact_array(weights, "weights")
    if values.shape != (count,):
        raise InvalidInput(
            f"must have one number per set, {count} in all",
            f"shape {values.shape}",
            "a list",
            argument="weights",
        )
    if not (values.float64 > 0).all():
        at = int(np.argmax(~(values.float64 > 0)))
        raise InvalidInput(
            "must be positive",
            f"{values.float64[at]:g} for set {at}",
            "leave that set out",
            argument="weights",
        )
    return values
