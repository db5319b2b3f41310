"""Upper bounds for sparse matrices: an LU factorisation without pivoting, and its residual.

Like T2 this trusts only the residual: A >= -||A - R R'|| I for any R. SuperLU in symmetric mode
without pivoting gives A = L D L', and R = L sqrt(D).
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from .cholesky import UNDERFLOW
from .pencil import UNIT, FloatArray, Pencil

# Largest envelope (entries, and squared row lengths as a measure of work) worth factoring.
_ENVELOPE_ENTRIES = 3e7
_ENVELOPE_WORK = 6e10


def affordable(matrix: sp.csr_array) -> bool:
    """Whether the envelope under the reverse Cuthill-McKee order bounds memory and work sensibly."""
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True)
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    rows = np.repeat(rank, np.diff(matrix.indptr))
    first = np.arange(order.size)
    np.minimum.at(first, rows, rank[matrix.indices])
    lengths = (np.arange(order.size) - first + 1).astype(np.float64)
    return bool(lengths.sum() <= _ENVELOPE_ENTRIES and (lengths**2).sum() <= _ENVELOPE_WORK)


def proves_upper(pencil: Pencil, t: float) -> bool:
    """Whether a sparse factorisation proves lambda_max <= t for the scaled pencil."""
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    off_diagonal = sp.csr_array(-pencil.matrix)
    off_diagonal.setdiag(0.0)
    guess = 32 * UNIT * float(diagonal.max())
    for _ in range(2):
        shifted = np.nextafter(diagonal - guess, -np.inf)
        if not (shifted > 0).all():
            return False
        matrix = sp.csr_array(off_diagonal + sp.diags_array(shifted))
        factor = _factor(matrix)
        if factor is None:
            return False
        residual = _residual_norm(matrix, factor)
        if residual <= guess:
            return True
        guess = 1.5 * residual
    return False


def _factor(matrix: sp.csr_array) -> sp.csr_array | None:
    """R with R R' close to the matrix, or None where no positive pivots were found."""
    try:
        lu = splu(
            sp.csc_array(matrix),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:  # exactly singular
        return None
    pivots = lu.U.diagonal()
    if not np.array_equal(lu.perm_r, lu.perm_c) or not (pivots > 0).all() or not np.isfinite(pivots).all():
        return None
    factor = sp.csr_array(lu.L @ sp.diags_array(np.sqrt(pivots)))
    return sp.csr_array(factor[lu.perm_r])


def _residual_norm(matrix: sp.csr_array, factor: sp.csr_array) -> float:
    """A rigorous upper bound on the spectral norm of matrix - R R'."""
    if not np.isfinite(factor.data).all():
        return math.inf
    rest = abs(sp.csr_array(matrix - factor @ factor.T))
    size = abs(factor)
    terms = int(np.diff(factor.indptr).max())
    d = int(matrix.shape[0])
    ones: FloatArray = np.ones(d)
    # One rounding for each product, at most `terms` for the sum, one for the difference.
    rows = rest @ ones * (1 + 2 * UNIT) + (terms + 3) * UNIT * (1 + 2.0**-20) * (size @ (size.T @ ones))
    return float(rows.max()) * (1 + 4 * d * UNIT) + d * UNDERFLOW
