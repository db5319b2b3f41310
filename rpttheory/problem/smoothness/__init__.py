"""Smoothness matrices in any form, behind one protocol."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from ...certify import arithmetic_is_sound
from ...certify.exact import EXACT_DIMENSION
from ...certify.pencil import Matrix
from ...errors import InvalidInput
from ...reals import FloatArray, Reals, SparseReals, as_reals, from_entries, sparse_reals
from ...validation import check_matrix, check_symmetric_matrix, read_only, require_sparse_symmetry
from ..blocks import Blocks, BlocksLike, as_blocks
from .dense import DenseSmoothness
from .diagonal import DiagonalSmoothness
from .gram import GramSmoothness, scale_and_shift
from .operator import OperatorSmoothness
from .protocol import Smoothness
from .rounding import rounding_errors, slack_of
from .rows import RowBlocks, row_blocks
from .sparse import SparseSmoothness

SmoothnessLike: TypeAlias = Any

# Below this the relative error of the nearest double is no longer one unit.
_SMALLEST_ROUNDED = 2.0**-960

__all__ = [
    "DenseSmoothness",
    "DiagonalSmoothness",
    "GramSmoothness",
    "OperatorSmoothness",
    "RowBlocks",
    "Smoothness",
    "SmoothnessLike",
    "SparseSmoothness",
    "arranged",
    "as_smoothness",
    "diagonal",
    "gram",
    "row_blocks",
    "symmetric_part",
]


def as_smoothness(L: SmoothnessLike) -> Smoothness:
    """Accept an array, a scipy sparse matrix, a LinearOperator or a Smoothness.

    Entries must be finite and exactly symmetric; an operator is probed with two random vectors. They are
    copied, and taken exactly: doubles, integers of any size, `Fraction` and `Decimal`.
    A sparse matrix without entries off the diagonal becomes a diagonal one.
    """
    if isinstance(L, Smoothness):
        return L
    if sp.issparse(L) or isinstance(L, SparseReals):
        return _proving(_from_sparse(L))
    if isinstance(L, LinearOperator):
        rows, columns = L.shape
        if rows != columns or rows == 0:
            raise InvalidInput("L must be square and not empty", f"an operator of shape {L.shape}", "a d x d operator")
        if L.dtype is not None and np.dtype(L.dtype).kind not in "fiub":
            raise InvalidInput("L must be real", f"an operator with dtype {L.dtype}", "a real operator")
        operator = OperatorSmoothness(int(rows), L.matmat)
        operator.require_symmetry()
        return operator
    return _proving(DenseSmoothness.of(check_symmetric_matrix(L)))


def arranged(L: SmoothnessLike, blocks: BlocksLike) -> tuple[Smoothness, Blocks, NDArray[np.intp] | None]:
    """L and blocks with the coordinates block by block, and the places they came from (None if none has moved)."""
    form = as_smoothness(L)
    given = as_blocks(blocks, form.dimension, scattered=True)
    if not given.arrangement:
        return form, given, None
    order = np.array(given.arrangement)
    return form.permuted(order), given.consecutive(), order


def diagonal(values: Any) -> Smoothness:
    """L = Diag(values).

    Examples
    --------
    >>> diagonal([3, 1]).trace()
    4.0
    """
    given = as_reals(values, "the diagonal")
    if given.near.ndim != 1 or given.near.size == 0:
        raise InvalidInput(
            "the diagonal must be a non-empty vector", f"shape {given.shape}", "one number per coordinate"
        )
    return _proving(DiagonalSmoothness(given))


def gram(data: Any, scale: Any = 1, shift: Any = 0) -> Smoothness:
    """L = scale A'A + shift I for a dense or sparse data matrix A, kept as A when d is large.

    All three are taken exactly. Ridge regression with n rows and parameter lambda is
    `gram(A, Fraction(2, n), 2 * lambda)`.

    Examples
    --------
    >>> gram([[1.0, 0.0], [2.0, 1.0]]).diagonal()
    array([5., 1.])
    """
    factor, added = scale_and_shift(scale, shift)
    if sp.issparse(data) or isinstance(data, SparseReals):
        if 0 in data.shape:
            raise InvalidInput("A must not be empty", f"shape {data.shape}", "at least one entry")
        given = sparse_reals(data, "A")
        form = _gram(given.matrix, given.matrix.data, given.exact, factor, added)
    else:
        entries = check_matrix(data, "A")
        form = _gram(entries.near, entries.near, entries.exact, factor, added)
    with np.errstate(over="ignore"):
        if not np.isfinite(form.diagonal()).all():
            raise InvalidInput("A'A must be finite", "squares of the entries overflow", "A scaled down")
    return _proving(form)


def _gram(
    matrix: Matrix, near: FloatArray, exact: NDArray[np.object_] | None, scale: Fraction, shift: Fraction
) -> GramSmoothness:
    if exact is None:
        return GramSmoothness(matrix, scale, shift)
    if (np.abs(near[near != 0]) < _SMALLEST_ROUNDED).any():
        raise InvalidInput(
            f"entries of A that are no doubles must be at least {_SMALLEST_ROUNDED:g}", "smaller ones", "A scaled up"
        )
    if matrix.shape[1] > EXACT_DIMENSION:
        return GramSmoothness(matrix, scale, shift, None, rounded=True)
    if not isinstance(matrix, np.ndarray):
        dense = SparseReals(matrix, exact).toarray()
        matrix, exact = dense.near, dense.exact
    return GramSmoothness(matrix, scale, shift, exact, rounded=True)


def symmetric_part(L: Reals | SparseReals) -> Smoothness:
    """(L + L')/2 of a square matrix, what its roundings cost accounted for."""
    if isinstance(L, SparseReals):
        row, column = np.repeat(np.arange(L.shape[0]), np.diff(L.matrix.indptr)), L.matrix.indices.astype(np.int64)
        halves = [Fraction(value) / 2 for value in Reals(L.matrix.data, L.exact).fractions()]
        both = as_reals(np.array([*halves, *halves], dtype=object), "L / 2")
        places = np.concatenate((row, column)), np.concatenate((column, row))
        return _proving(_from_sparse(from_entries(both, *places, L.shape)))
    if len(L) <= EXACT_DIMENSION or L.exact is not None:
        exact = np.array(L.fractions(), dtype=object).reshape(L.shape)
        return _proving(DenseSmoothness.of(as_reals((exact + exact.T) / 2, "(L + L')/2")))
    with np.errstate(over="ignore"):
        total = L.near + L.near.T
    near = np.where(np.isfinite(total), total / 2, L.near / 2 + L.near.T / 2)
    if ((near == 0) & (total != 0)).any():
        raise InvalidInput("(L + L')/2 must be within the range of doubles", "numbers of 2^-1075", "L scaled up")
    return _proving(DenseSmoothness(read_only(near), slack_of(near, rounding_errors(near, near != 0))))


def _proving(form: Smoothness) -> Smoothness:
    """The form itself, or where arithmetic is not sound one of which nothing can be proved, then or later."""
    return form if arithmetic_is_sound() else OperatorSmoothness(form.dimension, form._apply)


def _from_sparse(L: Any) -> Smoothness:
    rows, columns = L.shape
    if rows != columns or rows == 0:
        raise InvalidInput("L must be square and not empty", f"shape {rows} x {columns}", "gram(A) for a data matrix A")
    given = sparse_reals(L, "L")
    require_sparse_symmetry(given, "L")
    matrix = given.matrix
    row_of = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    if np.array_equal(row_of, matrix.indices):
        near, exact = np.zeros(rows), None
        near[row_of] = matrix.data
        near.flags.writeable = False
        if given.exact is not None:
            exact = np.zeros(rows, dtype=object)
            exact[row_of] = given.exact
        return DiagonalSmoothness(Reals(near, exact))
    if given.exact is None:
        return SparseSmoothness(matrix)
    if rows <= EXACT_DIMENSION:
        return DenseSmoothness.of(given.toarray())
    errors = rounding_errors(matrix.data, Reals(matrix.data, given.exact).rounded)
    return SparseSmoothness(matrix, slack_of(matrix, errors), given.exact)
