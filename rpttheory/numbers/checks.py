"""One checker per kind of input; each returns the value in the form the algorithms use.

Messages name the argument and show the value received, because the person who reads them has only
those two things to go by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .exact_array import ExactArray, FloatArray, SparseExactArray, exact_array

ROUNDING_ASYMMETRY = 1e-12
"""Asymmetry up to this, by the measure of `Asymmetry`, is rounding: (L + L')/2 is used in place of
L.

Products A'A with a million rows stay below it; single precision (6e-8) does not, and is refused.
"""


# An asymmetry that underflows is still one.
_SMALLEST = 2.0**-1074


def read_only(array: FloatArray) -> FloatArray:
    """Return a copy of the array with writing forbidden."""
    frozen = np.array(array, dtype=np.float64, copy=True)
    frozen.flags.writeable = False
    return frozen


def check_symmetric_matrix(matrix: Any, name: str = "L") -> ExactArray:
    """Return a finite, exactly symmetric, non-empty square matrix; raise InvalidInput for any
    other.
    """
    values = check_square_matrix(matrix, name)
    asymmetry = find_asymmetry(values)
    if asymmetry is not None:
        raise asymmetry.refusal(name)
    return values


def check_square_matrix(matrix: Any, name: str = "L") -> ExactArray:
    """Return a finite, non-empty square matrix; raise InvalidInput for any other."""
    values = check_matrix(matrix, name)
    rows, columns = values.shape
    if rows != columns:
        raise InvalidInput(
            "must be square",
            f"shape {rows} x {columns}",
            "`gram(A)` for a data matrix A",
            argument=name,
        )
    return values


def check_matrix(matrix: Any, name: str = "A") -> ExactArray:
    """Return a finite, non-empty two-dimensional matrix."""
    values = exact_array(matrix, name)
    if values.float64.ndim != 2:
        raise InvalidInput(
            "must be a matrix",
            f"an array of {values.float64.ndim} dimension(s)",
            "a 2-D array",
            argument=name,
        )
    if values.float64.size == 0:
        raise InvalidInput(
            "must not be empty", f"shape {values.shape}", "at least one entry", argument=name
        )
    return values


@dataclass(frozen=True)
class Asymmetry:
    """The pair of entries L_ij and L_ji that differ most.

    Attributes
    ----------
    relative : float
        |L_ij - L_ji| / sqrt(|L_ii L_jj|), the largest over all pairs; infinite where L_ii or L_jj
        is zero. In a positive semidefinite matrix no entry exceeds sqrt(L_ii L_jj), and the
        rounding errors of a product A'A are in proportion to it.
    row, column : int
        The place of the pair.
    upper, lower : float
        Its entries, as the nearest doubles.
    """

    relative: float
    row: int
    column: int
    upper: float
    lower: float

    @property
    def is_rounding(self) -> bool:
        """True up to `ROUNDING_ASYMMETRY`."""
        return self.relative <= ROUNDING_ASYMMETRY

    def refusal(
        self, name: str, remedy: str = "", suggest: Mapping[str, Any] | None = None
    ) -> InvalidInput:
        """Return the error that names the worst pair; by default it suggests (L + L')/2."""
        place = f"[{self.row}, {self.column}] and [{self.column}, {self.row}]"
        if self.upper == self.lower:
            found = f"{place} differ beyond the digits of a double"
        else:
            size = f"|{name}_ij - {name}_ji| / sqrt({name}_ii {name}_jj) = {self.relative:.2g}"
            # The shortest decimals that are these doubles: numbers as they were written.
            upper, lower = (repr(value).removesuffix(".0") for value in (self.upper, self.lower))
            found = f"{size} (worst at {place}: {upper} vs {lower})"
        return InvalidInput(
            "must be symmetric",
            found,
            remedy or f"({name} + {name}.T) / 2, which symmetrizes it",
            argument=name,
            suggest=suggest,
        )


def find_asymmetry(matrix: ExactArray | SparseExactArray) -> Asymmetry | None:
    """Return the worst asymmetry of a square matrix; None if it equals its transpose exactly."""
    panels = _sparse_panel(matrix) if isinstance(matrix, SparseExactArray) else _panels(matrix)
    pairs = [pair for panel in panels if (pair := _worst_pair(*panel)) is not None]
    return max(pairs, key=lambda pair: pair.relative, default=None)


# The entries of some places, those of the transposed places, whether the exact numbers differ, the
# row and the column of each place, and the square roots of the diagonal.
_Panel: TypeAlias = tuple[FloatArray, FloatArray, Any, NDArray[Any], NDArray[Any], FloatArray]


def _panels(matrix: ExactArray) -> Iterator[_Panel]:
    """Yield the upper triangle by 64 rows at a time, so that no second matrix is formed."""
    near = matrix.float64
    exact = matrix.numbers
    roots = np.sqrt(np.abs(near.diagonal()))
    place = np.arange(len(near))
    for first in range(0, len(near), 64):
        panel = slice(first, first + 64)
        yield (
            near[panel, first:],
            near[first:, panel].T,
            exact[panel, first:] != exact[first:, panel].T,
            place[panel, np.newaxis],
            place[first:],
            roots,
        )


def _sparse_panel(matrix: SparseExactArray) -> Iterator[_Panel]:
    """Yield all stored entries."""
    near = matrix.matrix
    size = near.shape[0]
    roots = np.sqrt(np.abs(near.diagonal()))
    row = np.repeat(np.arange(size), np.diff(near.indptr))
    column = near.indices.astype(np.int64)
    keys = row * size + column
    mirror_keys = column * size + row
    mirror = np.minimum(np.searchsorted(keys, mirror_keys), keys.size - 1)
    stored = keys[mirror] == mirror_keys
    mirrored = np.where(stored, near.data[mirror], 0.0)
    exact = near.data if matrix.exact is None else matrix.exact
    yield near.data, mirrored, ~stored | (exact != exact[mirror]), row, column, roots


def _worst_pair(
    upper: FloatArray,
    lower: FloatArray,
    differs: Any,
    row: NDArray[Any],
    column: NDArray[Any],
    roots: FloatArray,
) -> Asymmetry | None:
    if not differs.any():
        return None
    with np.errstate(all="ignore"):
        # Exact entries that share their nearest double differ by one unit of it at most.
        gap = np.where(upper == lower, 2.0**-52 * np.abs(upper), np.abs(upper - lower))
        scale = roots[row] * roots[column]
        relative = np.where(scale > 0, np.maximum(gap / scale, _SMALLEST), np.inf)
    place = np.unravel_index(np.argmax(np.where(differs, relative, 0.0)), upper.shape)
    i, j = (int(np.broadcast_to(index, upper.shape)[place]) for index in (row, column))
    return Asymmetry(float(relative[place]), i, j, float(upper[place]), float(lower[place]))


def check_costs(costs: Any, count: int) -> ExactArray:
    """Return positive finite costs, one per block, exactly as they were passed."""
    values = _per_block(costs, count, "costs")
    remedy = "a positive cost for every block"
    _require_all(values, values.float64 > 0, "must be positive", remedy, "costs")
    return values


def check_probabilities(probabilities: Any, count: int | None = None) -> ExactArray:
    """Return probabilities in (0, 1], one per block."""
    values = _per_block(probabilities, count, "probabilities")
    inside = np.asarray((values.numbers > 0) & (values.numbers <= 1), dtype=np.bool_)
    remedy = "p_k = Prob(block k is updated)"
    _require_all(values, inside, "must lie in (0, 1]", remedy, "probabilities")
    return values


def _require_all(
    values: ExactArray, valid: NDArray[np.bool_], rule: str, remedy: str, name: str
) -> None:
    if not valid.all():
        block = int(np.argmin(valid))
        found = f"{str(values.numbers[block])[:80]} for block {block}"
        raise InvalidInput(rule, found, remedy, argument=name)


def _per_block(numbers: Any, count: int | None, name: str) -> ExactArray:
    values = exact_array(numbers, name)
    if values.float64.ndim != 1 or values.float64.size == 0:
        raise InvalidInput(
            "must be a list with one number per block",
            f"shape {values.shape}",
            "such as 0.5,1",
            argument=name,
        )
    if count is not None and values.float64.size != count:
        found = f"{values.float64.size} number{'s' * (values.float64.size != 1)}"
        raise InvalidInput(
            f"must have one number per block, {count} in all",
            found,
            f"{count} numbers",
            argument=name,
        )
    return values
