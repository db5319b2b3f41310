"""Upper bounds on lambda_max by factorization: three proofs that t Diag(w) - L is semidefinite.

A priori (T1, `proves_by_cholesky`): Rump (2006), "Verification of positive definiteness": if the
floating-point Cholesky factorization of A runs to completion, then R'R = A + E with |E_ij| <=
sqrt(g_i g_j a_ii a_jj) and g_i at most gamma_{i+2} (1 + 2^-48), gamma_n = n u / (1 - n u), rows
counted from 1, whatever the order of the sums. Hence A >= -delta I with delta = sum g_i a_ii.
Kernels that multiply by a reciprocal instead of dividing make one rounding more in the off-diagonal
entries; the +2 (one more than Rump needs) covers it. A library that inverted whole diagonal blocks
would not be covered; the residual proofs trust none of this. Factoring A - delta I instead proves
A >= 0.

By residual (T2, `proves_by_residual`): for any float matrix R whatsoever, A >= -||A - R R'|| I. The
residual is evaluated with exactly computed slice products, so a wrong or sloppy LAPACK can make the
proof fail but never make it false. It is also sharper than the a-priori bound, by a factor of
about d.

By sparse residual (`proves_by_sparse_residual`): the same for an LU factorization without pivoting.
SuperLU in symmetric mode gives A = L D L', and R = L sqrt(D).
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from ..numbers.exact_array import FloatArray
from .pencil import UNDERFLOW, UNIT, Pencil
from .slices import sliced_product

IndexArray: TypeAlias = NDArray[np.intp]

# Largest envelope (entries, and squared row lengths as a measure of work) worth factoring: 240 MB,
# and some tens of seconds at a few operations a nanosecond. Not tuned.
ENVELOPE_ENTRIES = 3e7
_ENVELOPE_WORK = 6e10
# Up to this dimension, and this many entries per row, minimum degree does far better than the
# envelope predicts. Guesses.
_SMALL_DIMENSION = 12_000
_FEW_ENTRIES = 16
# Columns of the factor longer than this share of the longest, and than the second number, are
# multiplied as dense ones, up to a number of rows (512 MB). Guesses.
_LONG_COLUMN = 0.1
_ALWAYS_SHORT = 32
_DENSE_ROWS = 8000


def rounding_shift(diagonal: FloatArray) -> float:
    """Return delta, a bound on the error of a floating-point Cholesky with this diagonal."""
    d = diagonal.size
    total = math.fsum((np.arange(3, d + 3) * diagonal).tolist())
    # Products and sum err by 2^-51 relative together; the last factor is gamma's quadratic term.
    return (1 + 2.0**-47) * (1 + 4 * (d + 3) * UNIT) * UNIT * total + UNDERFLOW


def proves_by_cholesky(pencil: Pencil, t: float, *, overwrite: bool = False) -> bool:
    """Return whether one factorization proves lambda_max <= t for the scaled pencil.

    With `overwrite` it works in the memory of the pencil, which is lost if the proof succeeds.
    """
    assert isinstance(pencil.matrix, np.ndarray)
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    diagonal = np.nextafter(diagonal - rounding_shift(diagonal), -np.inf)
    if not (diagonal > 0).all():
        return False
    # Symmetric: the transpose is what LAPACK reads in place.
    original_diagonal = pencil.diagonal.copy() if overwrite else None
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
    if original_diagonal is not None and not proved:
        # The triangle that LAPACK does not read still has the entries.
        triangle = np.tril(pencil.matrix)
        np.negative(triangle + triangle.T, out=pencil.matrix)
        np.fill_diagonal(pencil.matrix, original_diagonal)
    return bool(proved)


def proves_by_residual(pencil: Pencil, t: float) -> bool:
    """Return whether a factor and its residual prove lambda_max <= t for the scaled pencil."""
    assert isinstance(pencil.matrix, np.ndarray)
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    # Far above the truth the diagonal is huge; a power of two keeps the slices in range.
    unit = 2.0 ** max(int(np.frexp(diagonal.max())[1]), 0)
    diagonal = diagonal / unit
    target = pencil.matrix / -unit

    def residual_at(shifted_diagonal: FloatArray) -> float | None:
        shifted = target.copy()
        np.fill_diagonal(shifted, shifted_diagonal)
        factor, info = lapack.dpotrf(shifted, lower=1, clean=1)
        if info != 0 or not np.isfinite(factor).all():
            return None
        return residual_norm(shifted, factor)

    return _residual_is_covered(diagonal, residual_guess(diagonal), 1.3, residual_at)


def proves_by_sparse_residual(pencil: Pencil, t: float, guess: float = 32 * UNIT) -> bool:
    """Return whether a sparse factorization proves lambda_max <= t for the scaled pencil.

    `guess` is an expected bound on the residual over the largest diagonal entry: a generous one
    saves a second factorization where t is far enough above the truth.
    """
    diagonal = pencil.shifted_diagonal(t)
    if not (diagonal > 0).all():
        return False
    off_diagonal = sp.csr_array(-pencil.matrix)
    off_diagonal.setdiag(0.0)

    def residual_at(shifted_diagonal: FloatArray) -> float | None:
        if not (shifted_diagonal > 0).all():
            return None
        matrix = sp.csr_array(off_diagonal + sp.diags_array(shifted_diagonal))
        factor = sparse_factor(matrix)
        return None if factor is None else sparse_residual_norm(matrix, factor)

    return _residual_is_covered(diagonal, guess * float(diagonal.max()), 1.5, residual_at)


def _residual_is_covered(
    diagonal: FloatArray,
    shift: float,
    growth: float,
    residual_at: Callable[[FloatArray], float | None],
) -> bool:
    """Return whether A - shift I has a factor whose residual is at most `shift`, so that A >= 0.

    If the first shift is too small, the residual that it left times `growth` is tried.
    """
    for _ in range(2):
        residual = residual_at(np.nextafter(diagonal - shift, -np.inf))
        if residual is None:
            return False
        if residual <= shift:
            return True
        shift = growth * residual
    return False


def residual_guess(diagonal: FloatArray) -> float:
    """Return what the residual of a good Cholesky factor is expected to stay below.

    Rounding errors of random signs grow like sqrt(d). The constants are guesses: only the number
    of attempts depends on them.
    """
    return 0.4 * UNIT * float(diagonal.max()) * (4 + math.sqrt(diagonal.size))


def residual_norm(matrix: FloatArray, factor: FloatArray) -> float:
    """Return a rigorous upper bound on the spectral norm of matrix - factor factor'."""
    product = sliced_product(factor)
    residual = matrix
    sizes = np.zeros(matrix.shape)
    for term in product.terms:
        residual = residual - term
        sizes += np.abs(residual)
    # Each difference errs by UNIT of its own size: an entry can be lost between two terms that
    # cancel each other, so the last difference alone does not tell.
    rounding = 1.01 * UNIT * _row_sums(sizes)
    omitted = float(product.scale.max()) * float(product.scale.sum()) * product.error
    d = int(matrix.shape[0])
    return (_norm_bound(residual) + rounding + omitted) * (1 + 4 * d * UNIT) + UNDERFLOW


def _norm_bound(matrix: FloatArray) -> float:
    """Return an upper bound on the spectral norm: row sums after squaring twice.

    It is up to d^(3/8) closer than row sums. ||E||^2 = ||E'E||, and a computed product errs by at
    most gamma_d |E'||E|, whose norm is at most gamma_d times the largest row sum times the largest
    column sum of |E|.
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
    """Return the largest row or column sum of |matrix|, rounded up; no spectral norm exceeds it."""
    d = int(matrix.shape[0])
    size = np.abs(matrix)
    return max(float(size.sum(axis=1).max()), float(size.sum(axis=0).max())) * (1 + 2 * d * UNIT)


def affordable(matrix: sp.csr_array) -> bool:
    """Return whether factoring takes bounded memory and work: few entries, or a narrow envelope
    (reverse Cuthill-McKee).
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


def sparse_factor(matrix: sp.csr_array) -> sp.csr_array | None:
    """Return R with R R' close to the matrix, or None if a pivot is not positive."""
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


def sparse_residual_norm(matrix: sp.csr_array, factor: sp.csr_array) -> float:
    """Return a rigorous upper bound on the spectral norm of matrix - R R'.

    R R' = H H' + T T' with the few long columns T, which carry nearly all the work, multiplied as a
    dense array on the rows where they live. Entry by entry, with s = (|R||R|')_ij and m the most
    entries in a row of R: the two computed products h and t err by at most gamma_m times their
    shares of s, in any order of summation and with or without fused operations, for sums of zeros
    do not round; fl(fl(a - h) - t) = x errs by at most u |x| + u |a - h| <= 2 u |x| (1 + 2 u) + u
    |t|, and |t| <= (1 + gamma_m) s. So |a - (R R')_ij| is at most
    |x| (1 + 3 u) + (m + 3) u (1 + 2^-20) s, whose row sums bound the norm of a symmetric matrix.
    All terms of those are non-negative: they err by their length in units, relatively.
    """
    if not np.isfinite(factor.data).all():
        return math.inf
    d = int(matrix.shape[0])
    long, rows = _long_columns(factor)
    short = np.setdiff1d(np.arange(factor.shape[1]), long)
    head = sp.csc_array(factor)[:, short]
    residual = sp.csr_array(matrix - head @ head.T)
    outside = np.ones(d)
    outside[rows] = 0.0
    sums = abs(residual) @ np.ones(d)
    if rows.size:
        # Rows of the dense part: the entries outside its columns, and the dense residual itself.
        tail = factor[rows][:, long].toarray()
        dense = residual[rows][:, rows].toarray() - tail @ tail.T
        sums[rows] = abs(residual)[rows] @ outside + np.abs(dense).sum(axis=1)
    size = abs(factor)
    terms = int(np.diff(factor.indptr).max())
    bound = sums * (1 + 3 * UNIT) + (terms + 5) * UNIT * (1 + 2.0**-20) * (
        size @ (size.T @ np.ones(d))
    )
    return float(bound.max()) * (1 + 4 * d * UNIT) + d * UNDERFLOW


def _long_columns(factor: sp.csr_array) -> tuple[IndexArray, IndexArray]:
    """Return the columns that carry most of the work, and the rows of their entries."""
    columns = sp.csc_array(factor)
    lengths = np.diff(columns.indptr)
    limit = max(_LONG_COLUMN * float(lengths.max()), _ALWAYS_SHORT)
    while True:
        long = np.flatnonzero(lengths > limit)
        rows = np.unique(columns[:, long].indices)
        if rows.size <= _DENSE_ROWS:
            return long, rows
        limit = 2 * limit + 1
