"""Upper bounds for sparse matrices: an LU factorisation without pivoting, and its residual.

Like T2 this trusts only the residual: A >= -||A - R R'|| I for any R. SuperLU in symmetric mode
without pivoting gives A = L D L', and R = L sqrt(D).
"""

import math
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from .cholesky import UNDERFLOW
from .pencil import UNIT, Pencil

IndexArray: TypeAlias = NDArray[np.intp]

# Largest envelope (entries, and squared row lengths as a measure of work) worth factoring.
ENVELOPE_ENTRIES = 3e7
_ENVELOPE_WORK = 6e10
# Up to this dimension, and this many entries per row, minimum degree does far better than any
# envelope tells.
_SMALL_DIMENSION = 12_000
_FEW_ENTRIES = 16
# Columns of the factor longer than this share of the longest are multiplied as dense ones, on at
# most so many rows.
_LONG_COLUMN = 0.1
_ALWAYS_SHORT = 32
_DENSE_ROWS = 8000


def affordable(matrix: sp.csr_array) -> bool:
    """Whether memory and work are bounded sensibly: few entries, or a narrow envelope (reverse
    Cuthill-McKee).
    """
    if matrix.shape[0] <= _SMALL_DIMENSION and matrix.nnz <= _FEW_ENTRIES * matrix.shape[0]:
        return True
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True)
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    rows = np.repeat(rank, np.diff(matrix.indptr))
    first = np.arange(order.size)
    np.minimum.at(first, rows, rank[matrix.indices])
    lengths = (np.arange(order.size) - first + 1).astype(np.float64)
    return bool(lengths.sum() <= ENVELOPE_ENTRIES and (lengths**2).sum() <= _ENVELOPE_WORK)


def proves_upper(pencil: Pencil, t: float, guess: float = 32 * UNIT) -> bool:
    """Whether a sparse factorisation proves lambda_max <= t for the scaled pencil.

    `guess` is what the residual is expected to stay below, over the largest diagonal entry: a
    generous one saves a second factorisation where t is far enough above the truth.
    """
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    off_diagonal = sp.csr_array(-pencil.matrix)
    off_diagonal.setdiag(0.0)
    shift = guess * float(diagonal.max())
    for _ in range(2):
        shifted = np.nextafter(diagonal - shift, -np.inf)
        if not (shifted > 0).all():
            return False
        matrix = sp.csr_array(off_diagonal + sp.diags_array(shifted))
        factor = _factor(matrix)
        if factor is None:
            return False
        residual = _residual_norm(matrix, factor)
        if residual <= shift:
            return True
        shift = 1.5 * residual
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
    if (
        not np.array_equal(lu.perm_r, lu.perm_c)
        or not (pivots > 0).all()
        or not np.isfinite(pivots).all()
    ):
        return None
    factor = sp.csr_array(lu.L @ sp.diags_array(np.sqrt(pivots)))
    return sp.csr_array(factor[lu.perm_r])


def _residual_norm(matrix: sp.csr_array, factor: sp.csr_array) -> float:
    """A rigorous upper bound on the spectral norm of matrix - R R'.

    R R' = H H' + T T' with the few long columns T, which carry nearly all the work, multiplied as a
    dense array on the rows where they live. Entry by entry, with s = (|R||R|')_ij and m the most
    entries in a row of R: the two computed products h and t err by at most gamma_m times their
    shares of s, in any order of summation and with or without fused operations, for sums of zeros
    do not round; fl(fl(a - h) - t) = x errs by at most u |x| + u |a - h| <= 2 u |x| (1 + 2 u) + u
    |t|, and |t| <= (1 + gamma_m) s. So |a - (R R')_ij| is at most
    |x| (1 + 3 u) + (m + 3) u (1 + 2^-20) s, whose row sums bound the norm of a symmetric matrix.
    All terms of those
    are non-negative: they err by their length in units, relatively.
    """
    if not np.isfinite(factor.data).all():
        return math.inf
    d = int(matrix.shape[0])
    long, rows = _long_columns(factor)
    short = np.setdiff1d(np.arange(factor.shape[1]), long)
    head = sp.csc_array(factor)[:, short]
    rest = sp.csr_array(matrix - head @ head.T)
    inside = np.zeros(d)
    inside[rows] = 1.0
    sums = abs(rest) @ np.ones(d)
    if rows.size:
        # Rows of the dense part: what lies outside its columns, and the dense rest itself.
        tail = sp.csr_array(factor)[rows][:, long].toarray()
        dense = rest[rows][:, rows].toarray() - tail @ tail.T
        sums[rows] = abs(rest)[rows] @ (1 - inside) + np.abs(dense).sum(axis=1)
    size = abs(factor)
    terms = int(np.diff(sp.csr_array(factor).indptr).max())
    bound = sums * (1 + 3 * UNIT) + (terms + 5) * UNIT * (1 + 2.0**-20) * (
        size @ (size.T @ np.ones(d))
    )
    return float(bound.max()) * (1 + 4 * d * UNIT) + d * UNDERFLOW


def _long_columns(factor: sp.csr_array) -> tuple[IndexArray, IndexArray]:
    """The columns that carry most of the work, and the rows that they reach."""
    columns = sp.csc_array(factor)
    lengths = np.diff(columns.indptr)
    limit = max(_LONG_COLUMN * float(lengths.max()), _ALWAYS_SHORT)
    while True:
        long = np.flatnonzero(lengths > limit)
        rows = np.unique(columns[:, long].indices)
        if rows.size <= _DENSE_ROWS:
            return long, rows
        limit = 2 * limit + 1
