"""Bounds on the rounding of the entries of L, as a diagonal that every certificate accounts for."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...eigen.pencil import UNIT, Matrix
from ...numbers.exact_array import FloatArray


def rounding_errors(doubles: FloatArray, rounded: NDArray[np.bool_]) -> FloatArray:
    """Bound the distance of the nearest doubles to the numbers: half a unit, here a whole one."""
    return np.where(rounded, UNIT * np.abs(doubles) + 2.0**-1074, 0.0)


def slack_of(matrix: Matrix, errors: FloatArray) -> FloatArray:
    """Return s with -Diag(s) <= L - matrix <= Diag(s) where |L - matrix| <= errors entry by entry.

    |E_ij| <= e_ij implies E <= Diag(sum_j e_ij v_j / v_i) for every v > 0 (Gershgorin). v_i =
    sqrt(L_ii)
    keeps a graded matrix graded: there |L_ij| <= v_i v_j, so that s_i is at most d units of L_ii.
    `errors` is symmetric, with one entry for each of the array, or for each stored one of a sparse
    matrix.
    """
    diagonal = np.abs(matrix.diagonal())
    largest = abs(matrix).max(axis=1)
    largest = np.asarray(largest if isinstance(matrix, np.ndarray) else largest.toarray()).ravel()
    weights = np.sqrt(np.where(diagonal > 0, diagonal, np.where(largest > 0, largest, 1.0)))
    weights /= weights.max()  # no overflow in what follows, unless the grading itself is that steep
    bound = errors
    if not isinstance(matrix, np.ndarray):
        bound = sp.csr_array((errors, matrix.indices, matrix.indptr), shape=matrix.shape)
    with np.errstate(over="ignore"):
        sums = np.asarray(bound @ weights) / weights
    if not np.isfinite(sums).all():
        sums = np.asarray(bound @ np.ones(matrix.shape[0]))
    # The sum of d products and two quotients err by less than d + 8 units, and by what underflow
    # takes off each.
    d = matrix.shape[0]
    spread = sums * (1 + (d + 8) * 2 * UNIT) + d * 2.0**-1070 / weights + 2.0**-1060
    return np.where(np.asarray(bound.sum(axis=1)).ravel() > 0, spread, 0.0)
