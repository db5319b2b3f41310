"""Explicit symmetric matrices, and the scaled form in which every certificate works.

The question is always whether t Diag(w) - L is positive semidefinite: w = 1 gives lambda_max, w = p
gives L_P, and w = q with t = 1 the feasibility of a point of the search problem. Congruence with
powers of two is exact and keeps the answer, so w is brought into [1, 4) and the largest entry of L
into [1/2, 1) before any rounding happens. Without it a graded p costs as many digits as it spans.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..numbers.bracket import scaled_down

FloatArray: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = "FloatArray | sp.csr_array"

UNIT = 2.0**-53
# Covers underflow anywhere: d^2 errors of 2^-750 in the scaling and of 2^-1022 in a factorization.
UNDERFLOW = 2.0**-700
# Rows that are copied at a time where a copy of the whole matrix would cost more than the work on
# it. A guess: 64 rows of a few thousand entries fit into a cache.
SLICE = 64


@dataclass(frozen=True)
class EntrywiseMatrix:
    """A symmetric matrix L known up to a diagonal: -Diag(slack) <= L - matrix <= Diag(slack).

    Parameters
    ----------
    matrix : ndarray or csr_array
        Finite and exactly symmetric.
    slack : ndarray, optional
        Non-negative; None when `matrix` is L itself.
    spare : bool
        True if a proof may overwrite the memory of a dense `matrix`.

    Examples
    --------
    >>> import numpy as np
    >>> EntrywiseMatrix(np.eye(2)).slack is None
    True
    """

    matrix: Matrix
    slack: FloatArray | None = None
    spare: bool = False

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[0])


@dataclass(frozen=True)
class Pencil:
    """The scaled matrices of t Diag(weights) - matrix.

    Attributes
    ----------
    matrix : ndarray or csr_array
        L; its largest entry or the largest slack is in [1/2, 1).
    weights : ndarray
        The diagonal of W, in [1, 4).
    slack : ndarray, optional
        As of `EntrywiseMatrix`.
    scaling : ndarray of int
        Rows and columns were multiplied by these powers of two.
    exponent : int
        Undoes the scaling of levels: t_original = 2^-exponent t.
    """

    matrix: Matrix
    weights: FloatArray
    slack: FloatArray | None
    scaling: NDArray[np.int64]
    exponent: int

    @property
    def dimension(self) -> int:
        return int(self.weights.size)

    @property
    def diagonal(self) -> FloatArray:
        return np.asarray(self.matrix.diagonal(), dtype=np.float64)

    def vector(self, x: FloatArray) -> FloatArray:
        """Return the scaled counterpart of a trial vector for the original problem."""
        scaled = np.ldexp(x, -self.scaling + int(self.scaling.min()))
        largest = np.abs(scaled).max()
        return scaled / largest if np.isfinite(largest) and largest > 0 else np.ones(x.size)

    def scaled_level(self, level: float) -> float:
        """Return the scaled counterpart of a level t of the original problem, rounded down."""
        return scaled_down(level, self.exponent)

    def original_down(self, level: float) -> float:
        """Return a level of the scaled problem in original units, rounded down."""
        return scaled_down(level, -self.exponent)

    def original_up(self, level: float) -> float:
        """Return a level of the scaled problem in original units, rounded up."""
        return -scaled_down(-level, -self.exponent) + 0.0  # never -0.0

    def shifted_diagonal(self, t: float) -> FloatArray:
        """Return floats at most t w_i - L_ii for every L within the slack."""
        below = np.nextafter(np.nextafter(t * self.weights, -np.inf) - self.diagonal, -np.inf)
        if self.slack is not None:
            below = np.nextafter(below - self.slack, -np.inf)
        return below


def make_pencil(
    explicit: EntrywiseMatrix, weights: FloatArray | None = None, sign: int = 1
) -> Pencil | None:
    """Scale t Diag(weights) - sign L by powers of two; None if L is zero and has no slack."""
    d = explicit.dimension
    if weights is None:
        scaling = np.zeros(d, dtype=np.int64)
        scaled_weights = np.ones(d)
    else:
        mantissa, powers = np.frexp(weights)  # weights = mantissa 2^powers, mantissa in [1/2, 1)
        scaling = -((powers.astype(np.int64) - 1) // 2)
        scaled_weights = np.ldexp(mantissa, powers + 2 * scaling)
    scaled = _scaled_quickly(explicit, scaling, sign) or _scaled_by_ldexp(explicit, scaling, sign)
    if scaled is None:
        return None
    matrix, top = scaled
    slack = explicit.slack
    if slack is not None:
        # An underflow here must not lose slack, hence the step upwards.
        slack = np.nextafter(np.ldexp(slack, 2 * scaling - top), np.inf)
    return Pencil(matrix, scaled_weights, slack, scaling, -top)


def _scaled_by_ldexp(
    explicit: EntrywiseMatrix, scaling: NDArray[np.int64], sign: int
) -> tuple[Matrix, int] | None:
    """Return sign L scaled and over 2^top, with that exponent; None if L is zero without slack."""
    matrix = explicit.matrix
    if isinstance(matrix, np.ndarray):
        entries = matrix
        shift = scaling[:, None] + scaling[None, :]
    else:
        entries = matrix.data
        rows = np.repeat(np.arange(scaling.size), np.diff(matrix.indptr))
        shift = scaling[rows] + scaling[matrix.indices]
    top = _largest_exponent(entries, shift)
    if explicit.slack is not None:
        top = max(top, _largest_exponent(explicit.slack, 2 * scaling))
    if top == _NOTHING:
        return None
    entries = sign * np.ldexp(entries, shift - top)
    if isinstance(matrix, np.ndarray):
        return entries, top
    return sp.csr_array((entries, matrix.indices, matrix.indptr), shape=matrix.shape), top


def _scaled_quickly(
    explicit: EntrywiseMatrix, scaling: NDArray[np.int64], sign: int
) -> tuple[Matrix, int] | None:
    """Return the same for dense matrices of ordinary size with little slack, else None.

    Products are several times faster than `ldexp`. Entries below 2^-1022 on the way err by at most
    2^-1075 each, which the last factor raises to at most 2^-750: far below UNDERFLOW.
    """
    matrix = explicit.matrix
    if not isinstance(matrix, np.ndarray):
        return None
    largest = max(float(matrix.max()), -float(matrix.min()))
    if explicit.slack is not None and not (explicit.slack <= np.abs(matrix.diagonal())).all():
        return None
    if not 2.0**-100 < largest < 2.0**100 or np.abs(scaling).max() > 60:
        return None
    out = matrix if explicit.spare else None
    if not scaling.any():
        top = int(np.frexp(largest)[1])
        return np.multiply(matrix, sign * 2.0**-top, out=out), top
    factors = np.ldexp(1.0, scaling)
    scaled = np.multiply(matrix, factors[:, None], out=out)
    scaled *= factors[None, :]
    top = int(np.frexp(max(float(scaled.max()), -float(scaled.min())))[1])
    scaled *= sign * 2.0**-top
    return scaled, top


def to_dense(matrix: Matrix) -> FloatArray:
    """Return a dense array of a matrix, which may be sparse."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def stored_entries(matrix: Matrix) -> FloatArray:
    """Return the entries of a dense array, or the stored ones of a sparse matrix."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.data)


def absolute_product(matrix: Matrix, x: FloatArray) -> FloatArray:
    """Return |L| |x|, by slices of rows where L is dense: no second matrix is formed."""
    if not isinstance(matrix, np.ndarray):
        return np.asarray(abs(matrix) @ np.abs(x))
    size = np.abs(x)
    return np.concatenate(
        [np.abs(matrix[i : i + SLICE]) @ size for i in range(0, matrix.shape[0], SLICE)]
    )


_NOTHING = -(10**9)


def _largest_exponent(entries: FloatArray, shift: NDArray[np.int64]) -> int:
    mantissa, powers = np.frexp(entries)
    return int(np.where(mantissa != 0, powers + shift, _NOTHING).max(initial=_NOTHING))
