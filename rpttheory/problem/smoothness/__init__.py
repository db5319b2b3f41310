"""Smoothness matrices in any form, behind one protocol."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import LinearOperator

from ...eigen.exact import EXACT_DIMENSION
from ...eigen.pencil import Matrix, stored_entries
from ...errors import InvalidInput
from ...numbers import arithmetic_is_sound
from ...numbers.checks import (
    check_matrix,
    check_square_matrix,
    find_asymmetry,
    read_only,
)
from ...numbers.exact_array import (
    ExactArray,
    Number,
    Numbers,
    SparseExactArray,
    doubles,
    exact_array,
    from_entries,
    sparse_exact_array,
)
from ..arguments import as_blocks
from ..blocks import Blocks, BlocksLike
from .diagonal import DiagonalSmoothness
from .entrywise import EntrywiseSmoothness
from .gram import GramSmoothness, scale_and_shift
from .operator import OperatorSmoothness
from .protocol import Smoothness
from .rounding import rounding_errors, slack_of
from .rows import RowBlocks, gram_from_files

SmoothnessLike: TypeAlias = (
    ArrayLike
    | Sequence[Sequence[Number]]
    | ExactArray
    | SparseExactArray
    | sp.sparray
    | sp.spmatrix
    | LinearOperator
    | Smoothness
)

# Below this the relative error of the nearest double is no longer one unit.
_SMALLEST_ROUNDED = 2.0**-960

__all__ = [
    "DiagonalSmoothness",
    "EntrywiseSmoothness",
    "GramSmoothness",
    "OperatorSmoothness",
    "RowBlocks",
    "Smoothness",
    "SmoothnessLike",
    "as_smoothness",
    "diagonal",
    "gram",
    "gram_from_files",
]


def as_smoothness(L: SmoothnessLike) -> Smoothness:
    """Accept an array, a scipy sparse matrix, a LinearOperator or a Smoothness.

    Entries must be finite. They are copied, and taken exactly: doubles, integers of any size,
    `Fraction` and `Decimal`. A matrix with |L_ij - L_ji| <= 1e-12 sqrt(L_ii L_jj) for all i and j
    is replaced by (L + L')/2, which has the same quadratic form, and `Smoothness.notes` says so;
    more asymmetry is refused. An operator is probed with two random vectors. A sparse matrix
    without entries off the diagonal becomes a diagonal one.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator or Smoothness

    Returns
    -------
    Smoothness

    Examples
    --------
    >>> as_smoothness([[2, 1], [1, 2]]).trace()
    4.0
    """
    if isinstance(L, Smoothness):
        return L
    if sp.issparse(L) or isinstance(L, SparseExactArray):
        return _near_symmetric(check_sparse_square(L))
    if isinstance(L, LinearOperator):
        rows, columns = L.shape
        if rows != columns or rows == 0:
            raise InvalidInput(
                "must be square and not empty",
                f"an operator of shape {L.shape}",
                "a d x d operator",
                argument="L",
            )
        if L.dtype is not None and np.dtype(L.dtype).kind not in "fiub":
            raise InvalidInput(
                "must be real", f"an operator with dtype {L.dtype}", "a real operator", argument="L"
            )
        operator = OperatorSmoothness(int(rows), L.matmat)
        operator.require_symmetry()
        return operator
    return _with_names(_near_symmetric(check_square_matrix(L)), L)


def _with_names(form: Smoothness, source: object) -> Smoothness:
    """Return the form with the column names of a DataFrame, where these are distinct texts."""
    names = tuple(getattr(source, "columns", ()))
    if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
        object.__setattr__(form, "column_names", names)
    return form


def arranged(
    L: SmoothnessLike, blocks: BlocksLike
) -> tuple[Smoothness, Blocks, NDArray[np.intp] | None]:
    """Return L and blocks with the coordinates block by block, and the original positions (None if
    none has moved).

    Blocks of single coordinates take the names of the columns of a DataFrame.
    """
    form = as_smoothness(L)
    partition = as_blocks(blocks, form.dimension, scattered=True)
    if form.column_names and partition == Blocks.singletons(form.dimension):
        partition = Blocks.from_labels(form.column_names)
    if not partition.arrangement:
        return form, partition, None
    order = np.array(partition.arrangement)
    return form.restrict(order), partition.consecutive(), order


def diagonal(values: Numbers) -> Smoothness:
    """Return L = Diag(values).

    Parameters
    ----------
    values : array
        One number per coordinate, taken exactly.

    Returns
    -------
    Smoothness

    Examples
    --------
    >>> diagonal([3, 1]).trace()
    4.0
    """
    entries = exact_array(values, "the diagonal")
    if entries.float64.ndim != 1 or entries.float64.size == 0:
        raise InvalidInput(
            "the diagonal must be a non-empty vector",
            f"shape {entries.shape}",
            "one number per coordinate",
        )
    return _proving(DiagonalSmoothness(entries))


def gram(data: SmoothnessLike, scale: Number = 1, shift: Number = 0) -> Smoothness:
    """Return L = scale A'A + shift I for a dense or sparse data matrix A, stored as A if d is
    large.

    Ridge regression with n rows and parameter lambda is `gram(A, Fraction(2, n), 2 * lambda)`.

    Parameters
    ----------
    data : array or sparse matrix
        A, one row per example. Entries are taken exactly.
    scale, shift : number, optional
        Taken exactly; scale is positive, shift is not negative.

    Returns
    -------
    Smoothness

    Examples
    --------
    >>> gram([[1.0, 0.0], [2.0, 1.0]]).diagonal()
    array([5., 1.])
    """
    factor, added = scale_and_shift(scale, shift)
    entries: ExactArray | SparseExactArray
    if sp.issparse(data) or isinstance(data, SparseExactArray):
        entries = sparse_exact_array(data, "A")
        if 0 in entries.shape:
            raise InvalidInput(
                "must not be empty", f"shape {entries.shape}", "at least one entry", argument="A"
            )
    else:
        entries = check_matrix(data, "A")
    form = _gram(entries, factor, added)
    with np.errstate(over="ignore"):
        if not np.isfinite(form.diagonal()).all():
            raise InvalidInput(
                "A'A must be finite", "squares of the entries overflow", "A scaled down"
            )
    return _with_names(_proving(form), data)


def _gram(data: ExactArray | SparseExactArray, scale: Fraction, shift: Fraction) -> GramSmoothness:
    matrix: Matrix = doubles(data)
    if data.exact is None:
        return GramSmoothness(matrix, scale, shift)
    entries = stored_entries(matrix)
    if (np.abs(entries[entries != 0]) < _SMALLEST_ROUNDED).any():
        raise InvalidInput(
            f"entries of A that are no doubles must be at least {_SMALLEST_ROUNDED:g}",
            "smaller ones",
            "A scaled up",
        )
    if matrix.shape[1] > EXACT_DIMENSION:
        return GramSmoothness(matrix, scale, shift, rounded=True)
    dense = data if isinstance(data, ExactArray) else data.toarray()
    return GramSmoothness(dense.float64, scale, shift, dense.exact, rounded=True)


def _near_symmetric(L: ExactArray | SparseExactArray) -> Smoothness:
    """Return a symmetric matrix as it is and the symmetric part of one that is symmetric up to
    rounding.
    """
    asymmetry = find_asymmetry(L)
    if asymmetry is None:
        return _proving(_of_symmetric(L))
    if not asymmetry.is_rounding:
        raise asymmetry.refusal("L")
    return symmetric_part(L, asymmetry.relative)


def symmetric_part(L: ExactArray | SparseExactArray, asymmetry: float) -> Smoothness:
    """Return (L + L')/2 of a square matrix, with its rounding errors accounted for.

    Parameters
    ----------
    asymmetry : float
        What `find_asymmetry` says of L, for `Smoothness.notes`.
    """
    if isinstance(L, SparseExactArray):
        form = _of_symmetric(_sparse_symmetric_part(L))
    elif len(L) <= EXACT_DIMENSION or L.exact is not None:
        exact = np.array(L.fractions(), dtype=object).reshape(L.shape)
        form = EntrywiseSmoothness.of(exact_array((exact + exact.T) / 2, "(L + L')/2"))
    else:
        with np.errstate(over="ignore"):
            total = L.float64 + L.float64.T
        mean = np.where(np.isfinite(total), total / 2, L.float64 / 2 + L.float64.T / 2)
        if ((mean == 0) & (total != 0)).any():
            raise InvalidInput(
                "(L + L')/2 must be within the range of doubles",
                "numbers of 2^-1075",
                "L scaled up",
            )
        # The mean of two equal doubles is exact.
        errors = rounding_errors(mean, L.float64 != L.float64.T)
        form = EntrywiseSmoothness(read_only(mean), slack_of(mean, errors))
    return _proving(replace(form, asymmetry=asymmetry))


def _sparse_symmetric_part(L: SparseExactArray) -> SparseExactArray:
    """Return (L + L')/2 exactly."""
    means: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
    row = np.repeat(np.arange(L.shape[0]), np.diff(L.matrix.indptr)).tolist()
    column = L.matrix.indices.tolist()
    entries = ExactArray(L.matrix.data, L.exact).fractions()
    for i, j, value in zip(row, column, entries, strict=True):
        means[i, j] += value / 2
        means[j, i] += value / 2
    values = exact_array(np.array(list(means.values()), dtype=object), "(L + L')/2")
    places = np.array(list(means))
    return from_entries(values, places[:, 0], places[:, 1], L.shape)


def _proving(form: Smoothness) -> Smoothness:
    """Return the form itself, or where arithmetic is not sound one that proves nothing, now or
    later.
    """
    if arithmetic_is_sound():
        return form
    return OperatorSmoothness(form.dimension, form._apply, asymmetry=form.asymmetry)


def check_sparse_square(L: Any) -> SparseExactArray:
    """Return the entries of a sparse square matrix; raise InvalidInput for any other."""
    entries = sparse_exact_array(L, "L")
    rows, columns = entries.shape
    if rows != columns or rows == 0:
        raise InvalidInput(
            "must be square and not empty",
            f"shape {rows} x {columns}",
            "`gram(A)` for a data matrix A",
            argument="L",
        )
    return entries


def _of_symmetric(L: ExactArray | SparseExactArray) -> Smoothness:
    """Return the form of a symmetric matrix."""
    if isinstance(L, ExactArray):
        return EntrywiseSmoothness.of(L)
    matrix = L.matrix
    rows = matrix.shape[0]
    row_of = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    if np.array_equal(row_of, matrix.indices):
        values = np.zeros(rows)
        values[row_of] = matrix.data
        values.flags.writeable = False
        exact = None
        if L.exact is not None:
            exact = np.zeros(rows, dtype=object)
            exact[row_of] = L.exact
        return DiagonalSmoothness(ExactArray(values, exact))
    # A small sparse matrix of fractions is a dense one: exact decisions need all entries.
    is_exact = L.exact is not None and rows <= EXACT_DIMENSION
    return EntrywiseSmoothness.of(L.toarray() if is_exact else L)
