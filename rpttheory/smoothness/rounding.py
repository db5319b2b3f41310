"""What it costs that the entries of L are no doubles, as the diagonal that every certificate takes into account."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..certify.pencil import UNIT, FloatArray, Matrix


def rounding_errors(near: FloatArray, rounded: NDArray[np.bool_]) -> FloatArray:
    """How far the nearest doubles are from the numbers they stand for, at most: half a unit, here a whole one."""
    return np.where(rounded, UNIT * np.abs(near) + 2.0**-1074, 0.0)


def slack_of(matrix: Matrix, errors: FloatArray) -> FloatArray:
    """s with -Diag(s) <= L - matrix <= Diag(s) where |L - matrix| <= errors entry by entry.

    |E_ij| <= e_ij implies E <= Diag(sum_j e_ij v_j / v_i) for every v > 0 (Gershgorin). v_i = sqrt(L_ii)
    keeps a graded matrix graded: there |L_ij| <= v_i v_j, so that s_i is at most d units of L_ii.
    `errors` is symmetric, with one entry for each of the array, or for each stored one of a sparse matrix.
    """
    diagonal = np.abs(matrix.diagonal())
    largest = abs(matrix).max(axis=1)
    largest = np.asarray(largest if isinstance(matrix, np.ndarray) else largest.toarray()).ravel()
    weights = np.sqrt(np.where(diagonal > 0, diagonal, np.where(largest > 0, largest, 1.0)))
    bound = errors
    if not isinstance(matrix, np.ndarray):
        bound = sp.csr_array((errors, matrix.indices, matrix.indptr), shape=matrix.shape)
    sums = np.asarray(bound @ weights)
    # The sum of d products, the quotient and the root err by less than d + 8 units.
    return np.asarray(np.where(sums > 0, sums / weights * (1 + (matrix.shape[0] + 8) * 2 * UNIT) + 2.0**-1060, 0.0))
