"""Certificates for Gram matrices L = scale A'A + shift I, from the entries of A.

When d is small L is formed with one rounding per entry, and what that costs is kept as a diagonal.
When it is large, t Diag(w) - L >= 0 is decided on a matrix that holds A itself: the Schur
complement I - A Diag(q)^-1 A' with q = (t w - shift) / scale where A has few rows, or the augmented
matrix [[Diag(q), A'], [A, I]] where A is sparse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from ..numbers.arithmetic_guard import arithmetic_problem
from ..numbers.bracket import Bracket, round_up
from ..numbers.exact_array import FloatArray
from ..numbers.verdict import Rigor, Verdict
from . import cholesky
from .collatz import rayleigh_below, scaled_bracket, squares_below
from .lambda_max import prove_psd
from .pencil import UNIT, EntrywiseMatrix, Matrix, to_dense
from .slices import accurate_sum, sliced_product

# Largest number of rows, and of entries, for which the Schur complement is formed: 9e9 operations
# for its factorization, and 320 MB for the entries. Not tuned.
_FEW_ROWS = 3000
_ENTRIES = 4e7


def entrywise_gram(
    data: FloatArray,
    scale: float | Fraction,
    shift: float | Fraction,
    *,
    rounding_of_data: float = 0.0,
) -> EntrywiseMatrix:
    """Form scale A'A + shift I with exactly computed slice products.

    `rounding_of_data` bounds the relative error of the entries of A themselves.
    """
    d = data.shape[1]
    exponents = np.frexp(np.abs(data).max(axis=0, initial=0.0))[1]
    product = sliced_product(np.ascontiguousarray(np.ldexp(data, -exponents).T))  # rows at most 1
    gram, error = accurate_sum(product)
    # The factor joins before the exponents, so that nothing underflows which the factor would
    # raise.
    mantissa, power = math.frexp(float(scale))
    total = np.ldexp(gram * mantissa, exponents[:, None] + exponents[None, :] + power)
    total[np.diag_indices(d)] += float(shift)
    # Entry errors relative to r_i r_j, with r_i^2 the i-th diagonal entry: rounding of the sum, of
    # the product with `scale` and of the shift, each UNIT; what `accurate_sum` left, where each row
    # scale is at most twice the row's maximum; twice the relative error of the data; and the
    # rounding of a scale or a shift that is no float.
    relative = 4 * UNIT + 4 * error + 2.01 * rounding_of_data + _rounding_of(scale, shift)
    # |E_ij| <= relative r_i r_j implies E <= Diag(d relative r_i^2), by Gershgorin with weights
    # 1/r.
    slack = d * relative * (1 + 2.0**-20) * np.abs(total.diagonal()) + 2.0**-1060
    return EntrywiseMatrix(total / 2 + total.T / 2, slack)


def sparse_entrywise_gram(
    data: sp.csr_array,
    scale: float | Fraction,
    shift: float | Fraction,
    *,
    rounding_of_data: float = 0.0,
) -> EntrywiseMatrix:
    """Form scale A'A + shift I for sparse A, with the a-priori error of the sparse product."""
    gram = sp.csr_array(sp.csc_array(data).T @ data) * float(scale) + float(shift) * sp.eye_array(
        data.shape[1]
    )
    matrix = sp.csr_array((gram + gram.T) / 2)
    matrix.sort_indices()
    terms = int(np.diff(sp.csc_array(data).indptr).max(initial=0))
    relative = ((terms + 8) * UNIT + 2.01 * rounding_of_data + _rounding_of(scale, shift)) * (
        1 + 2.0**-20
    )
    # Entries that rounded to zero have been dropped but err like the others: count them all. Where
    # A has a zero column the shift is still rounded.
    pattern = sp.csr_array((np.ones(data.nnz), data.indices, data.indptr), shape=data.shape)
    per_row = np.maximum(np.diff(sp.csr_array(sp.csc_array(pattern).T @ pattern).indptr), 1)
    underflow = per_row * ((terms + 2) * 2.0**-1073 * (float(scale) + 1) + 2.0**-1060)
    slack = per_row * relative * np.abs(matrix.diagonal()) * (1 + 2.0**-20) + underflow
    return EntrywiseMatrix(matrix, slack)


def summed_entrywise_gram(
    gram: FloatArray,
    above: Callable[[FloatArray], FloatArray],
    roundings: int,
    rows: int,
    scale: Fraction,
    shift: Fraction,
) -> EntrywiseMatrix | None:
    """Form scale A'A + shift I from A'A summed over chunks of rows, in any order, fused or not.

    Each product of two entries goes through at most n = `roundings` roundings, hence |gram - A'A|
    <= gamma_n |A|'|A|. A matrix with such entries is at most the diagonal gamma_n (|A|'|A| v)_i /
    v_i, for any v > 0 (see `collatz`); v_i = (A'A)_ii^-1/2 makes that at most d gamma_n (A'A)_ii,
    however columns are graded, and `above(v)` is at least |A|'|A| v. The mean with the transpose,
    the product with `scale` and the sum with `shift` are three roundings more. None where numbers
    leave the range of doubles.
    """
    if not np.isfinite(gram).all():
        return None
    roots = np.sqrt(np.abs(gram.diagonal()))
    v = 1 / np.where(roots > 0, roots, max(float(roots.max()), 2.0**-500))
    v /= v.max()
    relative = (roundings + 8) * UNIT * (1 + 2.0**-20) + _rounding_of(scale, shift)
    # Of each of the products, and of a few numbers more, 2^-1075 may be lost to underflow. The
    # slack itself is rounded a few times, and the sum of v as often as it has entries.
    lost = (rows + 4) * (float(scale) + 1) * 2.0**-1073
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(scale) * (gram / 2 + gram.T / 2)
        total[np.diag_indices(len(v))] += float(shift)
        size = round_up(scale) * (above(v) / v) + round_up(shift)
        slack = (relative * size + lost * (float(v.sum()) / v)) * (
            1 + 2.0**-40 * len(v)
        ) + 2.0**-1060
    return (
        EntrywiseMatrix(total, slack)
        if np.isfinite(slack).all() and np.isfinite(total).all()
        else None
    )


def _rounding_of(scale: float | Fraction, shift: float | Fraction) -> float:
    """Return the relative errors of the floats that stand for the two, added up."""
    return 1.01 * UNIT * ((float(scale) != scale) + (float(shift) != shift))


def can_bracket(data: Matrix) -> bool:
    """Return whether `bracket_lambda_max_of_gram` applies: few rows, or a sparse A that factors
    cheaply.
    """
    if _has_few_rows(data):
        return True
    # An envelope holds the entries and the diagonal at least: larger matrices are not even formed.
    if isinstance(data, np.ndarray) or data.nnz + sum(data.shape) > cholesky.ENVELOPE_ENTRIES:
        return False
    return cholesky.affordable(_augmented(data))


def _has_few_rows(data: Matrix) -> bool:
    rows, columns = data.shape
    return bool(rows <= _FEW_ROWS and rows * columns <= _ENTRIES)


def bracket_lambda_max_of_gram(
    data: Matrix,
    scale: float | Fraction,
    shift: float | Fraction,
    weights: FloatArray | None,
    x: FloatArray,
    *,
    rounding_of_data: float = 0.0,
) -> Bracket:
    """Bracket lambda_max(W^-1/2 (scale A'A + shift I) W^-1/2) without forming A'A.

    The scale joins at the end, exactly: the eigenvalue is scale times that of A'A + (shift / scale)
    I.

    Parameters
    ----------
    data : ndarray or csr_array
        The matrix A.
    scale, shift : float or Fraction
        Positive, and not negative.
    weights : ndarray, optional
        The positive diagonal of W; None for the identity.
    x : ndarray
        An approximate top eigenvector of the pencil; a bad one only widens the bracket.
    rounding_of_data : float
        A bound on the relative error of the entries of A.
    """
    w = np.ones(data.shape[1]) if weights is None else weights
    ratio = Fraction(shift) / Fraction(scale)
    ends = _ends_without_scale(data, ratio, w, x, rounding_of_data)
    rigor = Rigor.NUMERICAL if arithmetic_problem(data.shape[1]) else Rigor.VERIFIED
    return scaled_bracket(ends, Fraction(scale), rigor)


def _ends_without_scale(
    data: Matrix, shift: Fraction, w: FloatArray, x: FloatArray, rounding_of_data: float
) -> tuple[float, float]:
    low = _rayleigh(data, shift, w, x, rounding_of_data)
    if not (math.isfinite(low) and low > 0):
        return low, math.inf
    # The first step is about what either proof loses by its own rounding.
    if _has_few_rows(data):
        proves, step = _schur_proves, (64 + 8 * data.shape[0]) * UNIT
    else:
        proves, step = _augmented_proves, 1e-12
    while step < 1:
        level = low * (1 + step)
        quotient = np.nextafter(np.nextafter(level * w, -np.inf) - round_up(shift), -np.inf)
        usable = (quotient > 0).all() and np.isfinite(quotient).all()
        if usable and proves(data, quotient, rounding_of_data):
            return low, level
        step *= 8
    return low, math.inf


def _schur_proves(data: Matrix, quotient: FloatArray, rounding_of_data: float) -> bool:
    # Any float factor at least q^-1/2 does: a larger one only makes the claim harder.
    factor = np.nextafter(np.nextafter(1 / np.sqrt(quotient), np.inf), np.inf)
    factor = np.nextafter(factor * (1 + 4 * UNIT), np.inf)
    dense = to_dense(data)
    scaled = dense * factor[None, :]
    if not np.isfinite(scaled).all():
        return False
    complement = entrywise_gram(
        np.ascontiguousarray(scaled.T), 1.0, 0.0, rounding_of_data=UNIT + 1.01 * rounding_of_data
    )
    return prove_psd(complement, np.ones(complement.dimension), 1.0) is Verdict.PROVED


def _augmented(data: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(sp.block_array([[None, -data.T], [-data, None]]))


def _augmented_proves(data: Matrix, quotient: FloatArray, rounding_of_data: float) -> bool:
    matrix = _augmented(sp.csr_array(data))
    slack = None
    if rounding_of_data:
        slack = (
            1.01 * rounding_of_data * np.asarray(abs(matrix).sum(axis=1), dtype=np.float64).ravel()
        )
    off_diagonal = EntrywiseMatrix(matrix, slack)
    return (
        prove_psd(off_diagonal, np.concatenate((quotient, np.ones(data.shape[0]))))
        is Verdict.PROVED
    )


def _rayleigh(
    data: Matrix, shift: Fraction, w: FloatArray, x: FloatArray, rounding_of_data: float
) -> float:
    """Return a float at most x'Lx / x'Wx."""
    size = float(np.abs(x).max())
    x = x / size if math.isfinite(size) and size > 0 else np.ones(x.size)
    return rayleigh_below(float(squares_below(data, x, rounding_of_data)[0]), shift, w, x)
