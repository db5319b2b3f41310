"""One checker per kind of input; each returns the value in the form the algorithms use.

Messages name the argument and show the value received, because the person who reads them has only
those two things to go by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .exact_array import ExactArray, FloatArray, Numbers, SparseExactArray, exact_array

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
            detail = f"{place} differ beyond the digits of a double"
        else:
            size = f"|{name}_ij - {name}_ji| / sqrt({name}_ii {name}_jj) = {self.relative:.2g}"
            # The shortest decimals that are these doubles: numbers as they were written.
            upper, lower = (repr(value).removesuffix(".0") for value in (self.upper, self.lower))
            detail = f"{size} (worst at {place}: {upper} vs {lower})"
        return InvalidInput(
            "must be symmetric",
            detail,
            remedy or f"({name} + {name}.T) / 2, which symmetrizes it",
            argument=name,
            suggest=suggest,
        )


def find_asymmetry(matrix: ExactArray | SparseExactArray) -> Asymmetry | None:
    """Return the worst asymmetry of a square matrix; None if it equals its transpose exactly."""
    if isinstance(matrix, SparseExactArray):
        diagonal = matrix.matrix.diagonal()
        row, column, upper, lower = _sparse_pairs(matrix)
    else:
        diagonal = matrix.float64.diagonal()
        row, column = np.nonzero(np.triu(matrix.numbers != matrix.numbers.T))
        upper = matrix.float64[row, column]
        lower = matrix.float64[column, row]
    if not row.size:
        return None
    roots = np.sqrt(np.abs(diagonal))
    with np.errstate(all="ignore"):
        # Exact entries that share their nearest double differ by one unit of it at most.
        gap = np.where(upper == lower, 2.0**-52 * np.abs(upper), np.abs(upper - lower))
        scale = roots[row] * roots[column]
        relative = np.where(scale > 0, np.maximum(gap / scale, _SMALLEST), np.inf)
    worst = int(np.argmax(relative))
    return Asymmetry(
        float(relative[worst]),
        int(row[worst]),
        int(column[worst]),
        float(upper[worst]),
        float(lower[worst]),
    )


def _sparse_pairs(
    matrix: SparseExactArray,
) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray, FloatArray]:
    """Return row, column, entry and transposed entry of each place where the two differ."""
    nearest = matrix.matrix
    size = nearest.shape[0]
    row = np.repeat(np.arange(size), np.diff(nearest.indptr))
    column = nearest.indices.astype(np.int64)
    keys = row * size + column
    mirror_keys = column * size + row
    mirror = np.minimum(np.searchsorted(keys, mirror_keys), keys.size - 1)
    stored = keys[mirror] == mirror_keys
    transposed = np.where(stored, nearest.data[mirror], 0.0)
    exact = nearest.data if matrix.exact is None else matrix.exact
    differs = ~stored | (exact != exact[mirror])
    return row[differs], column[differs], nearest.data[differs], transposed[differs]


def check_costs(costs: Numbers, count: int) -> ExactArray:
    """Return positive finite costs, one per block, exactly as they were passed."""
    values = _per_block(costs, count, "costs")
    remedy = "a positive cost for every block"
    _require_all(values, values.float64 > 0, "must be positive", remedy, "costs")
    return values


def check_probabilities(probabilities: Numbers, count: int | None = None) -> ExactArray:
    """Return probabilities in (0, 1], one per block."""
    values = _per_block(probabilities, count, "probabilities")
    inside = np.asarray((values.numbers > 0) & (values.numbers <= 1), dtype=np.bool_)
    remedy = "numbers above 0 and at most 1, such as 0.5,1"
    _require_all(values, inside, "must lie in (0, 1]", remedy, "probabilities")
    return values


def _require_all(
    values: ExactArray, valid: NDArray[np.bool_], rule: str, remedy: str, name: str
) -> None:
    if not valid.all():
        block = int(np.argmin(valid))
        detail = f"{str(values.numbers[block])[:80]} for block {block}"
        raise InvalidInput(rule, detail, remedy, argument=name)


def _per_block(numbers: Numbers, count: int | None, name: str) -> ExactArray:
    values = exact_array(numbers, name)
    if values.float64.ndim != 1 or values.float64.size == 0:
        raise InvalidInput(
            "must be a list with one number per block",
            f"shape {values.shape}",
            "such as 0.5,1",
            argument=name,
        )
    if count is not None and values.float64.size != count:
        detail = f"{values.float64.size} number{'s' * (values.float64.size != 1)}"
        raise InvalidInput(
            f"must have one number per block, {count} in all",
            detail,
            f"{count} numbers",
            argument=name,
        )
    return values
