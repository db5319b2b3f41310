"""Rigorous brackets of thousands of small eigenvalues at once.

One numpy operation per column of a stack of matrices costs far less than one LAPACK call per
matrix. The upper ends rest on Rump's bound for the floating-point Cholesky factorisation (see
`rpttheory.eigen.cholesky`), which holds for sums in any order; the lower ends on Rayleigh
quotients with their rounding subtracted.
"""

import numpy as np
from numpy.typing import NDArray

from ..numbers import arithmetic_problem
from ..numbers.exact_array import FloatArray
from .pencil import UNIT

BoolArray = NDArray[np.bool_]

# Entries outside this range could underflow or overflow in products of three.
_SMALLEST = 2.0**-200
_LARGEST = 2.0**200
_TINY = 2.0**-600


def lambda_max_batch(L: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds on the largest t with det(t Diag(w) - L) = 0, for a stack of (L, w).

    Parameters
    ----------
    L : array of shape (n, d, d)
        Symmetric matrices, exact as given.
    weights : array of shape (n, d)
        Positive, exact as given.

    Returns
    -------
    lower, upper : arrays of shape (n,)
        The upper end is inf where the proof fails.
    """
    sizes = np.abs(L[L != 0]) if (L != 0).any() else np.ones(1)
    if not (np.isfinite(L).all() and sizes.max() <= _LARGEST and sizes.min() >= _SMALLEST):
        raise ValueError("entries must be zero or between 2^-200 and 2^200 in size")
    if not (
        weights.min() >= _SMALLEST
        and weights.max() <= _LARGEST
        and np.array_equal(L, L.transpose(0, 2, 1))
    ):
        raise ValueError("weights must be between 2^-200 and 2^200, and matrices symmetric")
    if arithmetic_problem(L.shape[1]):
        return np.full(len(L), -np.inf), np.full(len(L), np.inf)
    roots = np.sqrt(weights)
    values, vectors = np.linalg.eigh(L / (roots[:, :, None] * roots[:, None, :]))
    x = vectors[:, :, -1] / roots
    guess = values[:, -1]
    spread = np.abs(values).max(axis=1)
    room = 16 * L.shape[1] ** 2 * UNIT
    upper = np.full(len(L), np.inf)
    for factor in (1.0, 64.0):
        level = guess + factor * room * spread + 2.0**-500
        done = np.isinf(upper) & proved_upper(L, weights, level)
        upper[done] = level[done]
    return rayleigh_lower(L, weights, x), upper


def proved_upper(L: FloatArray, weights: FloatArray, t: FloatArray) -> BoolArray:
    """Whether t Diag(w) - L is proved positive semidefinite, for each of a stack."""
    below = np.nextafter(t[:, None] * weights, -np.inf)
    diagonal = np.nextafter(below - np.einsum("nii->ni", L), -np.inf)
    d = L.shape[1]
    shift = (
        UNIT * (1 + 2.0**-30) * (np.arange(3, d + 3) * np.maximum(diagonal, 0.0)).sum(axis=1)
        + _TINY
    )
    diagonal = np.nextafter(diagonal - shift[:, None], -np.inf)
    matrix = -L
    matrix[:, np.arange(d), np.arange(d)] = diagonal
    return _cholesky_succeeds(matrix)


def rayleigh_lower(L: FloatArray, weights: FloatArray, x: FloatArray) -> FloatArray:
    """x'Lx / x'Wx, rounded down."""
    d = L.shape[1]
    value = np.einsum("ni,nij,nj->n", x, L, x, optimize=False)
    size = np.einsum("ni,nij,nj->n", np.abs(x), np.abs(L), np.abs(x), optimize=False)
    least = np.nextafter(value - (d * d + 8) * UNIT * (1 + 2.0**-20) * size - _TINY, -np.inf)
    weight = (weights * x * x).sum(axis=1)
    slack = (d + 8) * UNIT
    bottom = np.where(least >= 0, weight * (1 + slack), weight * (1 - slack))
    return np.asarray(np.nextafter(least / bottom, -np.inf))


def _cholesky_succeeds(matrix: FloatArray) -> BoolArray:
    n, d, _ = matrix.shape
    factor = np.zeros_like(matrix)
    good = np.ones(n, dtype=bool)
    for j in range(d):
        column = matrix[:, j:, j] - np.einsum("nik,nk->ni", factor[:, j:, :j], factor[:, j, :j])
        pivot = column[:, 0]
        good &= pivot > 0
        root = np.sqrt(np.where(good, pivot, 1.0))
        factor[:, j:, j] = np.where(good[:, None], column / root[:, None], 0.0)
    return np.asarray(good & np.isfinite(factor).all(axis=(1, 2)))
