"""T1: an upper bound proved by one LAPACK Cholesky factorisation.

Rump (2006), "Verification of positive definiteness": if the floating-point Cholesky factorisation
of A runs to completion, then R'R = A + E with |E_ij| <= sqrt(g_i g_j a_ii a_jj) and g_i at most (i
+ 2) u (1 + 2^-48), rows counted from 1, whatever the order of the sums. Hence A >= -delta I with
delta = sum g_i a_ii. Kernels that multiply by a reciprocal instead of dividing make one rounding
more in the off-diagonal entries; the +2 (one more than Rump needs) covers it. A library that
inverted whole diagonal blocks would not be covered; T2 (`residual`) trusts none of this. Factoring
A - delta I instead turns this into a yes for A itself.
"""

import math

import numpy as np
from scipy.linalg import lapack

from ..numbers.exact_array import FloatArray
from .pencil import UNIT, Pencil

# Covers underflow anywhere: d^2 errors of 2^-750 in the scaling and of 2^-1022 in the
# factorisation.
UNDERFLOW = 2.0**-700


def rounding_shift(diagonal: FloatArray) -> float:
    """delta: the floating-point Cholesky of a matrix with this diagonal is wrong by no more."""
    d = diagonal.size
    total = math.fsum((np.arange(3, d + 3) * diagonal).tolist())
    # Products and sum err by 2^-51 relative together; the last factor is gamma's quadratic term.
    return (1 + 2.0**-47) * (1 + 4 * (d + 3) * UNIT) * UNIT * total + UNDERFLOW


def proves_upper(pencil: Pencil, t: float, *, overwrite: bool = False) -> bool:
    """Whether one factorisation proves lambda_max <= t for the scaled pencil (False: not proved).

    `overwrite` lets it work in the memory of a pencil that nobody asks again once something is
    proved of it.
    """
    assert isinstance(pencil.matrix, np.ndarray)
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    diagonal = np.nextafter(diagonal - rounding_shift(diagonal), -np.inf)
    if not (diagonal > 0).all():
        return False
    # Symmetric: the transpose is what LAPACK reads in place.
    given = pencil.diagonal.copy() if overwrite else None
    shifted = np.negative(pencil.matrix, out=pencil.matrix if overwrite else None).T
    np.fill_diagonal(shifted, diagonal)
    factor, info = lapack.dpotrf(shifted, lower=1, clean=0, overwrite_a=1)
    pivots = factor.diagonal()
    # LAPACK has been seen to report success on NaN, so the factor is looked at as well.
    proved = (
        info == 0
        and (pivots > 0).all()
        and np.isfinite(pivots).all()
        and math.isfinite(float(factor.sum()))
    )
    if given is not None and not proved:
        # The triangle that LAPACK does not look at has the entries still.
        kept = np.tril(pencil.matrix)
        np.negative(kept + kept.T, out=pencil.matrix)
        np.fill_diagonal(pencil.matrix, given)
    return bool(proved)
