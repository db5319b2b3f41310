"""T2: an upper bound that trusts no factorisation.

For any float matrix R whatsoever, A >= -||A - R R'|| I. The residual is evaluated with exactly
computed slice products, so a wrong or sloppy LAPACK can make the proof fail but never make it false.
It is also sharper than the a-priori bound of T1, by about the factor d.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import lapack

from .cholesky import UNDERFLOW
from .pencil import UNIT, FloatArray, Pencil
from .slices import sliced_product


def proves_upper(pencil: Pencil, t: float) -> bool:
    """Whether a factorisation and its residual prove lambda_max <= t for the scaled pencil."""
    assert isinstance(pencil.matrix, np.ndarray)
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    target = np.negative(pencil.matrix)
    np.fill_diagonal(target, diagonal)
    guess = residual_guess(diagonal)
    factor, info = lapack.dpotrf(target - guess * np.eye(diagonal.size), lower=1, clean=1)
    if info != 0 or not np.isfinite(factor).all():
        return False
    shifted = target
    np.fill_diagonal(shifted, np.nextafter(diagonal - guess, -np.inf))
    return residual_norm(shifted, factor) <= guess


def residual_guess(diagonal: FloatArray) -> float:
    """What the residual of a good Cholesky factor is expected to stay below."""
    return 0.5 * UNIT * math.sqrt(diagonal.size) * float(diagonal.max()) * (4 + math.sqrt(diagonal.size))


def residual_norm(matrix: FloatArray, factor: FloatArray) -> float:
    """A rigorous upper bound on the spectral norm of matrix - factor factor'."""
    product = sliced_product(factor)
    rest = matrix
    rounding = np.zeros(matrix.shape)
    for term in product.terms:
        rest = rest - term
        rounding += np.abs(rest)
    entries = np.abs(rest) + 1.01 * UNIT * rounding
    d = int(matrix.shape[0])
    scale = product.scale
    row_sums = float(entries.sum(axis=1).max()) + float(scale.max()) * float(scale.sum()) * product.error
    frobenius = math.sqrt(float((entries * entries).sum())) + float((scale * scale).sum()) * product.error
    # Sums of d^2 non-negative floats err by at most d^2 UNIT relative.
    return min(row_sums, frobenius) * (1 + 4 * d * d * UNIT) + UNDERFLOW
