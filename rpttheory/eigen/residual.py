"""T2: an upper bound that trusts no factorisation.

For any float matrix R whatsoever, A >= -||A - R R'|| I. The residual is evaluated with exactly
computed slice products, so a wrong or sloppy LAPACK can make the proof fail but never make it
false. It is also sharper than the a-priori bound of T1, by about the factor d.
"""

import math

import numpy as np
from scipy.linalg import lapack

from ..numbers.exact_array import FloatArray
from .cholesky import UNDERFLOW
from .pencil import UNIT, Pencil
from .slices import sliced_product


def proves_upper(pencil: Pencil, t: float) -> bool:
    """Whether a factorisation and its residual prove lambda_max <= t for the scaled pencil."""
    assert isinstance(pencil.matrix, np.ndarray)
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    # Far above the truth the diagonal dwarfs the rest; a power of two keeps the slices in range.
    unit = 2.0 ** max(int(np.frexp(diagonal.max())[1]), 0)
    diagonal = diagonal / unit
    target = pencil.matrix / -unit
    np.fill_diagonal(target, diagonal)
    guess = residual_guess(diagonal)
    for _ in range(2):
        shifted = target.copy()
        np.fill_diagonal(shifted, np.nextafter(diagonal - guess, -np.inf))
        factor, info = lapack.dpotrf(shifted, lower=1, clean=1)
        if info != 0 or not np.isfinite(factor).all():
            return False
        residual = residual_norm(shifted, factor)
        if residual <= guess:
            return True
        guess = 1.3 * residual
    return False


def residual_guess(diagonal: FloatArray) -> float:
    """What the residual of a good Cholesky factor is expected to stay below."""
    return 0.4 * UNIT * float(diagonal.max()) * (4 + math.sqrt(diagonal.size))


def residual_norm(matrix: FloatArray, factor: FloatArray) -> float:
    """A rigorous upper bound on the spectral norm of matrix - factor factor'."""
    product = sliced_product(factor)
    rest = matrix
    rounding = np.zeros(matrix.shape)
    for term in product.terms:
        rest = rest - term
        rounding += np.abs(rest)
    d = int(matrix.shape[0])
    scale = product.scale
    small = (
        1.01 * UNIT * _row_sums(rounding) + float(scale.max()) * float(scale.sum()) * product.error
    )
    return (_norm_bound(rest) + small) * (1 + 4 * d * UNIT) + UNDERFLOW


def _norm_bound(matrix: FloatArray) -> float:
    """An upper bound on the spectral norm: row sums after squaring twice, d^(3/8) closer than row
    sums.

    ||E||^2 = ||E'E||, and a computed product errs by at most gamma_d |E'||E|, whose norm is at most
    gamma_d times the largest row sum times the largest column sum of |E|.
    """
    largest = max(float(matrix.max()), -float(matrix.min()))
    if largest == 0:
        return 0.0
    d = int(matrix.shape[0])
    power = matrix / largest  # one rounding of each entry, covered below
    bounds = [_row_sums(power)]
    errors = []
    for _ in range(2):
        errors.append((d + 4) * UNIT * bounds[-1] * bounds[-1])
        power = power.T @ power
        bounds.append(_row_sums(power))
    # Undo the squarings from the inside out, keeping at each level the better of two bounds.
    bound = bounds[2]
    for level in (1, 0):
        bound = min(bounds[level], math.sqrt(bound + errors[level]) * (1 + 4 * UNIT))
    return bound * largest * (1 + 8 * d * UNIT)


def _row_sums(matrix: FloatArray) -> float:
    """The largest row or column sum of absolute values, rounded up: no spectral norm exceeds it."""
    d = int(matrix.shape[0])
    size = np.abs(matrix)
    return max(float(size.sum(axis=1).max()), float(size.sum(axis=0).max())) * (1 + 2 * d * UNIT)
