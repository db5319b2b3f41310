"""Smoothness matrices in any form, behind one protocol."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from ..certify.pencil import Matrix
from ..errors import InvalidInput
from ..validation import check_matrix, check_symmetric_matrix, require_finite
from .dense import DenseSmoothness
from .diagonal import DiagonalSmoothness
from .gram import GramSmoothness
from .operator import OperatorSmoothness
from .protocol import Smoothness
from .sparse import SparseSmoothness

SmoothnessLike: TypeAlias = Any

__all__ = [
    "DenseSmoothness",
    "DiagonalSmoothness",
    "GramSmoothness",
    "OperatorSmoothness",
    "Smoothness",
    "SmoothnessLike",
    "SparseSmoothness",
    "as_smoothness",
    "diagonal",
    "gram",
]


def as_smoothness(L: SmoothnessLike) -> Smoothness:
    """Accept an array, a scipy sparse matrix, a LinearOperator or a Smoothness.

    Entries must be finite and exactly symmetric; an operator is probed with two random vectors.
    A sparse matrix without entries off the diagonal becomes a diagonal one.
    """
    if isinstance(L, Smoothness):
        return L
    if sp.issparse(L):
        return _from_sparse(L)
    if isinstance(L, LinearOperator):
        rows, columns = L.shape
        if rows != columns or rows == 0:
            raise InvalidInput("L must be square and not empty", f"an operator of shape {L.shape}", "a d x d operator")
        operator = OperatorSmoothness(int(rows), L.matmat)
        operator.require_symmetry()
        return operator
    return DenseSmoothness(check_symmetric_matrix(L))


def diagonal(values: Any) -> DiagonalSmoothness:
    """L = Diag(values)."""
    checked = np.asarray(values, dtype=np.float64)
    if checked.ndim != 1 or checked.size == 0:
        raise InvalidInput(
            "the diagonal must be a non-empty vector", f"shape {checked.shape}", "one number per coordinate"
        )
    require_finite(checked, "the diagonal")
    return DiagonalSmoothness(checked.copy())


def gram(data: Any, scale: float = 1.0, shift: float = 0.0) -> GramSmoothness:
    """L = scale A'A + shift I for a dense or sparse data matrix A, kept as A when d is large.

    Ridge regression with n rows and parameter lambda is `gram(A, 2 / n, 2 * lambda)`.
    """
    if not (math.isfinite(scale) and scale > 0):
        raise InvalidInput("scale must be positive and finite", repr(scale), "2 / n for ridge regression")
    if not (math.isfinite(shift) and shift >= 0):
        raise InvalidInput("shift must be non-negative and finite", repr(shift), "2 * lambda for ridge regression")
    matrix: Matrix
    if sp.issparse(data):
        matrix = sp.csr_array(data).astype(np.float64)
        matrix.sum_duplicates()
        if 0 in matrix.shape:
            raise InvalidInput("A must not be empty", f"shape {matrix.shape}", "at least one entry")
        require_finite(matrix.data, "A")
    else:
        matrix = check_matrix(data, "A")
    with np.errstate(over="ignore"):
        formed = GramSmoothness(matrix, float(scale), float(shift))
        if not np.isfinite(formed.diagonal()).all():
            raise InvalidInput("A'A must be finite", "squares of the entries overflow", "A scaled down")
    return formed


def _from_sparse(L: Any) -> Smoothness:
    rows, columns = L.shape
    if rows != columns or rows == 0:
        raise InvalidInput("L must be square and not empty", f"shape {rows} x {columns}", "gram(A) for a data matrix A")
    if np.dtype(L.dtype).kind not in "fiub":
        raise InvalidInput("L must hold real numbers", f"dtype {L.dtype}", "float64 values")
    matrix = sp.csr_array(L).astype(np.float64)
    matrix.sum_duplicates()
    require_finite(matrix.data, "L")
    difference = abs(sp.csr_array(matrix - matrix.T))
    if difference.nnz and float(difference.data.max()) > 0:
        raise InvalidInput(
            "L must be symmetric",
            f"max|L - L'| = {float(difference.data.max()):.3g} with max|L| = {float(abs(matrix.data).max()):.3g}",
            "(L + L.T) / 2",
        )
    matrix.eliminate_zeros()
    matrix.sort_indices()
    row_of = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    if np.array_equal(row_of, matrix.indices):
        return DiagonalSmoothness(np.asarray(matrix.diagonal(), dtype=np.float64))
    return SparseSmoothness(matrix)
