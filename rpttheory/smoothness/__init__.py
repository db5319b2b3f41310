"""Smoothness matrices in any form, behind one protocol."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from ..certify.pencil import Matrix
from ..errors import InvalidInput
from ..validation import check_entries, check_matrix, check_symmetric_matrix, read_only
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
        if L.dtype is not None and np.dtype(L.dtype).kind not in "fiub":
            raise InvalidInput("L must be real", f"an operator with dtype {L.dtype}", "a real operator")
        operator = OperatorSmoothness(int(rows), L.matmat)
        operator.require_symmetry()
        return operator
    return DenseSmoothness(read_only(check_symmetric_matrix(L)))


def diagonal(values: Any) -> DiagonalSmoothness:
    """L = Diag(values)."""
    given = np.asarray(values)
    if given.ndim != 1 or given.size == 0:
        raise InvalidInput(
            "the diagonal must be a non-empty vector", f"shape {given.shape}", "one number per coordinate"
        )
    return DiagonalSmoothness(check_entries(given, "the diagonal").copy())


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
        if 0 in data.shape:
            raise InvalidInput("A must not be empty", f"shape {data.shape}", "at least one entry")
        matrix = _checked_rows(data, "A")
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
    matrix = _checked_rows(L, "L")
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


def _checked_rows(given: Any, name: str) -> sp.csr_array:
    """Compressed rows without duplicates, with entries that float64 holds exactly."""
    rows = sp.csr_array(given)
    rows.sum_duplicates()
    return sp.csr_array((check_entries(rows.data, name), rows.indices, rows.indptr), shape=rows.shape)
