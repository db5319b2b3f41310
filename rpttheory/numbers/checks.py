"""One checker per kind of input; each returns the value in the form the algorithms use.

Messages name the argument and show the value received, because the person who reads them has only
those two things to go by.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .exact_array import ExactArray, FloatArray, SparseExactArray, exact_array

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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
        is
        zero. In a positive semidefinite matrix no entry exceeds sqrt(L_ii L_jj), and the rounding
        errors of a product A'A are in proportion to it.
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
    pairs = _sparse_pairs(matrix) if isinstance(matrix, SparseExactArray) else _dense_pairs(matrix)
    return max(pairs, key=lambda pair: pair.relative, default=None)


def _dense_pairs(matrix: ExactArray) -> Iterator[Asymmetry]:
    """Yield the worst pair of each panel of rows, and all pairs that only exact entries tell
    apart.
    """
    near = matrix.float64
    exact = matrix.exact
    roots = np.sqrt(np.abs(near.diagonal()))
    for first in range(0, len(near), 64):
        upper = near[first : first + 64, first:]
        lower = near[first:, first : first + 64].T
        if np.array_equal(upper, lower):
            continue
        relative = _relative(upper, lower, roots[first : first + 64, np.newaxis], roots[first:])
        i, j = divmod(int(np.argmax(relative)), relative.shape[1])
        values = float(upper[i, j]), float(lower[i, j])
        yield Asymmetry(float(relative[i, j]), first + i, first + j, *values)
    if exact is not None:
        for i, j in np.argwhere((exact != exact.T) & (near == near.T)).tolist():
            if i < j:
                yield _hidden_pair(float(near[i, j]), i, j, roots)


def _sparse_pairs(matrix: SparseExactArray) -> Iterator[Asymmetry]:
    """Yield the worst pair of doubles, and all pairs that only exact entries tell apart."""
    near = matrix.matrix
    exact = matrix.exact
    roots = np.sqrt(np.abs(near.diagonal()))
    row, mirror = mirror_places(near)
    mirrored = np.where(mirror >= 0, near.data[mirror], 0.0)
    if not np.array_equal(near.data, mirrored):
        relative = _relative(near.data, mirrored, roots[row], roots[near.indices])
        worst = int(np.argmax(relative))
        i = int(row[worst])
        j = int(near.indices[worst])
        yield Asymmetry(
            float(relative[worst]), i, j, float(near.data[worst]), float(mirrored[worst])
        )
    if exact is not None:
        for place in np.flatnonzero((near.data == mirrored) & (exact != exact[mirror])).tolist():
            i = int(row[place])
            j = int(near.indices[place])
            if i < j:
                yield _hidden_pair(float(near.data[place]), i, j, roots)


def mirror_places(matrix: csr_array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the row of each stored entry, and where the entry of the transposed place is stored
    (-1 if nowhere).
    """
    size = matrix.shape[0]
    row = np.repeat(np.arange(size), np.diff(matrix.indptr))
    column = matrix.indices.astype(np.int64)
    keys = row * size + column
    wanted = column * size + row
    place = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return row, np.where(keys[place] == wanted, place, -1) if keys.size else place


def _relative(
    upper: FloatArray, lower: FloatArray, row_roots: FloatArray, column_roots: FloatArray
) -> FloatArray:
    """Return |upper - lower| / sqrt(L_ii L_jj), zero exactly where the two agree."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        gap = np.abs(upper - lower)
        return np.where(gap > 0, np.maximum(gap / (row_roots * column_roots), _SMALLEST), 0.0)


def _hidden_pair(value: float, row: int, column: int, roots: FloatArray) -> Asymmetry:
    """Return a pair of exact entries that share their nearest double, and differ by one unit of it
    at most.
    """
    scale = float(roots[row] * roots[column])
    relative = max(2.0**-52 * abs(value) / scale, _SMALLEST) if scale else math.inf
    return Asymmetry(relative, row, column, value, value)


def check_costs(costs: Any, count: int) -> ExactArray:
    """Return positive finite costs, one per block, exactly as they were passed."""
    values = _per_block(costs, count, "costs")
    remedy = "a positive cost for every block"
    _require_all(values, values.float64 > 0, "must be positive", remedy, "costs")
    return values


def check_probabilities(probabilities: Any, count: int | None = None) -> ExactArray:
    """Return probabilities in (0, 1], one per block."""
    values = _per_block(probabilities, count, "probabilities")
    inside = (values.float64 > 0) & (values.float64 <= 1)
    if values.exact is not None:
        inside &= np.asarray(values.exact <= 1, dtype=np.bool_)
    remedy = "p_k = Prob(block k is updated)"
    _require_all(values, inside, "must lie in (0, 1]", remedy, "probabilities")
    return values


def _require_all(
    values: ExactArray, valid: NDArray[np.bool_], rule: str, remedy: str, name: str
) -> None:
    if not valid.all():
        block = int(np.argmin(valid))
        number = values.float64[block] if values.exact is None else values.exact[block]
        raise InvalidInput(rule, f"{str(number)[:80]} for block {block}", remedy, argument=name)


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
